// Keeps in a cookie whether the window is narrow: the server then draws figures in one or two columns.
// Streamlit tells the server nothing about the window. The cookie holds one digit and nothing about the person.

(() => {
  const NARROW = 640; // pixels, below which Streamlit stacks columns

  const store = () => {
    const narrow = Math.min(innerWidth, screen.width) < NARROW ? 1 : 0;
    try {
      document.cookie = `raterscope_narrow=${narrow};SameSite=Lax`;
    } catch {
      // A sandboxed frame has no cookies; figures are then as wide as on a desktop.
    }
  };

  store();
  addEventListener("resize", store);
})();
