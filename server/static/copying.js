// Copies the text in a button's attribute data-copies when the button is pressed: Streamlit has no such button.
//
// navigator.clipboard works over https only, and a server in a closed network often has none: so the text is
// selected in a text area and copied from there. The button says for a moment whether that worked.

(() => {
  const SHOWN_FOR = 1500; // milliseconds

  const copy = text => {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  };

  addEventListener(
    "click",
    event => {
      const button = event.target.closest?.("[data-copies]");
      if (!button) return;
      const copied = copy(button.getAttribute("data-copies"));
      button.focus();
      button.textContent = copied ? "Copied" : "Not copied";
      setTimeout(() => { button.textContent = "Copy"; }, SHOWN_FOR);
    },
    true,
  );
})();
