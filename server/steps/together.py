"""What Streamlit tells a page at a step is handed to its programs together, with the picture that it leads to.

Each message by itself has them draw the whole page anew: that a run has begun, which one it is, and every handful of
elements, most of them unchanged. They wait until the picture, or the end of the run, is there, and a tenth of a second
at most. Each run lists the pages, too, and each list has the sidebar's links drawn once more: one that is the same as
before is not handed on. What follows a page's first picture, and what came with it for the sidebar, waits until that is
painted, or two seconds at most: to draw the rest at the same time would hold it up. A picture that takes another one's
place is handed on by itself, and all of the step, with the picture again, when it is painted: who moves a control looks
at the picture, and everything else on the page is drawn anew only to learn that a run has begun. Where the server sends
such a picture before its run (`server.steps.picture_first`), it is handed on at once, and put where its run names it.
Both only where the place is surely there still: an element in a block's place removes what that held, as does another
block, the end of a run what it did not send again; and what is shown for a while moves what follows until a run ends.
"""

WAIT = 100
"""Milliseconds; shorter than what anyone sees as a delay."""
DRAWING = 2000
"""Milliseconds after which a first picture is waited for no longer, since it may stand where nobody looks."""
PAINTING = 250
"""Milliseconds after which another picture in the same place is waited for no longer."""
KEPT = 9
"""Pictures that came early, at most, whose place in their run has not come: that of an interrupted run never does."""
EARLY = b"\xf0\x3f\x01"
"""What `server.steps.picture_first` adds to the picture that it sends before its run: field 1022, which Streamlit's own
programs skip."""
SCRIPT = f"""
(()=>{{
const field=(message,wanted)=>{{
let at=0;
const number=()=>{{
let value=0,factor=1,byte;
do{{byte=message[at++];value+=byte%128*factor;factor*=128}}while(byte>127);
return value
}};
while(at<message.length){{
const tag=number(),kind=tag%8,value=kind===0||kind===2?number():0;
if(Math.floor(tag/8)===wanted)return kind===2?message.subarray(at,at+value):[value];
at+={{1:8,2:value,5:4}}[kind]??0
}}
}};
const inside=(message,...path)=>path.reduce((part,wanted)=>part&&field(part,wanted),message);
const drawings=new Set();
const named=message=>(field(message,1)??field(message,11))?.join();
const picture=message=>inside(message,5,3,16)||(field(message,11)&&drawings.has(named(message)));
const where=message=>inside(message,2,2)?.join();
const beside=message=>inside(message,2,2)?.[0]===1;
const waitedFor=message=>inside(message,6)||picture(message);
const inPicture=change=>change.target.parentElement?.closest(".js-plotly-plot");
const painted=then=>{{
let waits=true;
const once=()=>{{if(waits){{waits=false;look.disconnect();then()}}}};
const look=new MutationObserver(changes=>{{
if(!changes.some(inPicture))return;
look.disconnect();
requestAnimationFrame(()=>requestAnimationFrame(once))
}});
look.observe(document,{{subtree:true,childList:true,attributes:true,characterData:true}});
setTimeout(once,{PAINTING})
}};
const drawn=()=>document.querySelector(".js-plotly-plot .main-svg");
window.WebSocket=class extends WebSocket{{
constructor(...place){{
super(...place);
let held=[],passing=false,drawing=0,seen,timer,listed,ahead;
const places=new Map(),blocks=new Map(),fragments=new Set(),early=new Map();
let sent=new Set(),moved=false;
const forget=()=>{{places.clear();blocks.clear();moved=false}};
const gone=place=>{{
for(const there of [places,blocks])
for(const other of [...there.keys()])if(other.startsWith(place+","))there.delete(other)
}};
const note=message=>{{
const place=where(message),ended=field(message,6)?.[0];
if(field(message,23))forget();
if(field(message,4)){{
if(moved)forget();
sent=new Set()
}}
if(ended===0||ended===3){{
for(const other of [...places.keys()])if(!sent.has(other)&&(ended===0||fragments.has(other)))places.delete(other);
moved=false
}}
if(!place)return;
if(inside(message,5,9)){{
moved=true;
return
}}
const block=inside(message,5,6)?.join();
if(block===undefined||block!==blocks.get(place))gone(place);
if(block===undefined)blocks.delete(place);else blocks.set(place,block);
if(!picture(message)){{
places.delete(place);
return
}}
drawings.add(named(message));
places.set(place,named(message));
sent.add(place);
if(inside(message,5,8))fragments.add(place)
}};
const hand=data=>{{passing=true;this.dispatchEvent(new MessageEvent("message",{{data}}));passing=false}};
const another=data=>{{
const message=new Uint8Array(data),before=places.get(where(message));
return !moved&&before&&picture(message)&&named(message)!==before
}};
const handAhead=data=>{{
const message=new Uint8Array(data);
places.set(where(message),named(message));
hand(data);
ahead=true;
painted(()=>{{ahead="painted";pass()}})
}};
const pass=()=>{{
clearTimeout(timer);
if(ahead===true)return;
if(!ahead&&drawn()&&(ahead=held.find(another))){{
handAhead(ahead);
return
}}
ahead=undefined;
if(performance.now()<drawing&&!seen){{
if(drawn()&&seen===undefined){{
seen=false;
requestAnimationFrame(()=>requestAnimationFrame(()=>{{seen=true}}))
}}
timer=setTimeout(pass,16);
return
}}
drawing=0;
let now=held;
held=[];
if(now.some(data=>picture(new Uint8Array(data)))&&!drawn()){{
drawing=performance.now()+{DRAWING};
held=now.filter(data=>beside(new Uint8Array(data)));
now=now.filter(data=>!beside(new Uint8Array(data)))
}}
for(const data of now){{
note(new Uint8Array(data));
hand(data)
}}
if(held.length)timer=setTimeout(pass,16)
}};
this.addEventListener("message",event=>{{
if(passing||!(event.data instanceof ArrayBuffer))return;
event.stopImmediatePropagation();
const message=new Uint8Array(event.data),name=named(message),pages=field(message,23)?.join();
if(field(message,1022)){{
early.set(name,event.data);
if(early.size>{KEPT})early.delete(early.keys().next().value);
if(!ahead&&drawn()&&another(event.data))handAhead(event.data);
return
}}
if(pages&&pages===listed)return;
listed=pages??listed;
const data=field(message,11)&&early.get(name)||event.data;
early.delete(name);
if(held.push(data)===1)timer=setTimeout(pass,{WAIT});
if(waitedFor(new Uint8Array(data)))pass()
}})
}}
}}
}})()
""".replace("\n", "")
"""A message's field 6 says that the run has ended (`ForwardMsg.script_finished`), 5, 3 and 16 that it holds a picture
(`delta`, `new_element`, `plotly_chart`), 23 that it lists the pages and says which one is shown (`navigation`); 2 and
2 hold where an element stands (`metadata`, `delta_path`), which begins with 1 in the sidebar. Field 1 is a message's
name (`hash`), 11 that of one which the browser has kept and Streamlit does not send again (`ref_hash`). A picture is
painted when a second frame begins after it was drawn. A run begins with field 4 (`new_session`); of a `delta`, 6 is a
block (`add_block`), 9 what is shown for a while (`new_transient`) and 8 whose fragment drew it."""
