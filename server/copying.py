"""What a press on a button that holds a text to copy does: Streamlit has no such button, and its scripts are not ours.

A text area is selected and copied, as browsers allow anywhere; their newer way works by https only, and a server in a
closed network often has none. The button says for a moment what became of it.
"""

ATTRIBUTE = "data-copies"
"""Where a button holds the text."""
SCRIPT = f"""
addEventListener("click",pressed=>{{
const button=pressed.target.closest?.("[{ATTRIBUTE}]");
if(!button)return;
const area=document.createElement("textarea");
area.value=button.getAttribute("{ATTRIBUTE}");
area.style.position="fixed";
document.body.append(area);
area.select();
const done=document.execCommand("copy");
area.remove();
button.focus();
button.textContent=done?"Copied":"Not copied";
setTimeout(()=>{{button.textContent="Copy"}},1500)
}},true)
""".replace("\n", "")
