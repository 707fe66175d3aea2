// Draws the figures anew when the page turns dark or light, by the system's setting or by that of the menu.
//
// The server chooses a figure's colors, and learns the theme only when the script runs; Streamlit changes the theme
// without a run. So this presses R, Streamlit's key for another run.

(() => {
  const APP = '[data-testid="stApp"]';
  const LOOK_AGAIN = 100; // milliseconds until a run that does not know the new theme may have ended

  const pressR = () => {
    for (const type of ["keydown", "keyup"]) document.dispatchEvent(new KeyboardEvent(type, { key: "r" }));
  };

  const watch = app => {
    const currentTheme = () => getComputedStyle(app).colorScheme;
    let drawn = currentTheme();
    let waiting;

    const redraw = () => {
      clearTimeout(waiting);
      if (currentTheme() === drawn) return;
      if (app.getAttribute("data-test-script-state") === "notRunning") {
        drawn = currentTheme();
        pressR();
      } else {
        waiting = setTimeout(redraw, LOOK_AGAIN); // Streamlit takes no R during a run
      }
    };

    new MutationObserver(redraw).observe(app, { attributeFilter: ["class"] });
  };

  new MutationObserver((_, observer) => {
    const app = document.querySelector(APP);
    if (!app) return;
    observer.disconnect();
    watch(app);
  }).observe(document, { childList: true, subtree: true });
})();
