// Makes the pages usable without a mouse where Streamlit needs too many keys.
//
// A toolbar is one tab stop, as everywhere: the arrow keys go from button to button.
// A table is one tab stop: Tab leaves it, the arrow keys go from cell to cell.
// A popover that is opened with the keyboard gets the focus once it has content.

(() => {
  const TOOLBARS = '.modebar, [data-testid="stElementToolbar"]';
  const TABLES = ".dvn-scroller";
  const POPOVER_BUTTON = '[data-testid="stPopoverButton"]';
  const POPOVER_BODY = '[data-testid="stPopoverBody"]';
  const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex='0']";
  const LONGEST_WAIT = 9000; // milliseconds in which a popover's content has to arrive
  const LOOK_AGAIN = 50; // milliseconds

  const buttonsOf = toolbar => [...toolbar.querySelectorAll("button")];

  const limitTabStops = focused => {
    for (const toolbar of document.querySelectorAll(TOOLBARS)) {
      const buttons = buttonsOf(toolbar);
      const stop = buttons.includes(focused) ? focused : buttons[0];
      for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
    }
    for (const table of document.querySelectorAll(TABLES)) table.tabIndex = -1;
  };

  addEventListener(
    "keydown",
    event => {
      const focused = document.activeElement;
      const toolbar = focused.closest(TOOLBARS);
      if (event.key === "Tab") {
        limitTabStops(focused);
        if (focused.matches("canvas")) event.stopPropagation(); // else Tab goes from cell to cell
      } else if (toolbar && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
        const buttons = buttonsOf(toolbar);
        const step = event.key === "ArrowLeft" ? -1 : 1;
        buttons.at((buttons.indexOf(focused) + step) % buttons.length).focus();
        event.preventDefault();
      }
    },
    true,
  );

  addEventListener(
    "click",
    event => {
      const button = event.target.closest?.(POPOVER_BUTTON);
      if (!button || event.detail) return; // a mouse counts its clicks, a key does not
      const deadline = Date.now() + LONGEST_WAIT;
      const focusContent = () => {
        if (document.activeElement !== button || Date.now() > deadline) return;
        const body = [...document.querySelectorAll(POPOVER_BODY)].at(-1);
        const first = body?.querySelector(FOCUSABLE);
        if (first) first.focus();
        else setTimeout(focusContent, LOOK_AGAIN);
      };
      setTimeout(focusContent, LOOK_AGAIN);
    },
    true,
  );
})();
