// Saves a figure for print: the browser draws it with Plotly, which is fetched at the first press.
//
// The frame around the buttons holds the figure as JSON with its size in pixels (data-figure), its printed width
// (data-millimetres) and the name of the file (data-named); a button holds its format, svg or png (data-saves).
// The script's own element names the file of Plotly next to it (data-plotly).

(() => {
  const plotlyAddress = new URL(document.currentScript.dataset.plotly, document.currentScript.src).href;
  const MILLIMETRES_PER_INCH = 25.4;
  const DOTS_PER_INCH = 300;
  const PNG_HEADER = 33; // bytes of the signature and the first chunk
  // The chunk pHYs with 11,811 dots per metre, which is 300 per inch, and its checksum.
  const RESOLUTION = "000000097048597300002e2300002e230178a53f76";
  const SHOWN_FOR = 1500; // milliseconds
  const KEPT_FOR = 60_000; // milliseconds in which the browser takes the file

  let loading;
  const loadPlotly = () =>
    (loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = plotlyAddress;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        loading = undefined;
        reject(new Error("Plotly could not be loaded"));
      };
      document.head.append(script);
    }));

  const contentOf = dataUrl => dataUrl.slice(dataUrl.indexOf(",") + 1);

  const svgFile = (dataUrl, millimetres) => {
    const text = decodeURIComponent(contentOf(dataUrl));
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const [, , width, height] = root.getAttribute("viewBox").split(" ").map(Number);
    root.setAttribute("width", `${millimetres}mm`);
    root.setAttribute("height", `${Number(((millimetres * height) / width).toFixed(2))}mm`);
    return new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
  };

  const pngFile = dataUrl => {
    const bytes = Uint8Array.from(atob(contentOf(dataUrl)), character => character.charCodeAt(0));
    const resolution = Uint8Array.from(RESOLUTION.match(/../g), pair => parseInt(pair, 16));
    return new Blob([bytes.slice(0, PNG_HEADER), resolution, bytes.slice(PNG_HEADER)], { type: "image/png" });
  };

  const draw = async (frame, format) => {
    const millimetres = Number(frame.getAttribute("data-millimetres"));
    const figure = JSON.parse(frame.getAttribute("data-figure"));
    const { width, height } = figure.layout;
    const scale = format === "png" ? ((millimetres / MILLIMETRES_PER_INCH) * DOTS_PER_INCH) / width : 1;
    const plotly = await loadPlotly();
    const dataUrl = await plotly.toImage(figure, { format, width, height, scale });
    return format === "png" ? pngFile(dataUrl) : svgFile(dataUrl, millimetres);
  };

  const save = (file, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(file);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_FOR);
  };

  addEventListener(
    "click",
    async event => {
      const button = event.target.closest?.("[data-saves]");
      if (!button || button.getAttribute("aria-busy")) return;
      const format = button.getAttribute("data-saves");
      const frame = button.closest("[data-figure]");
      const label = button.textContent;
      button.setAttribute("aria-busy", "true");
      button.textContent = "Drawing";
      try {
        save(await draw(frame, format), `${frame.getAttribute("data-named")}.${format}`);
        button.textContent = "Saved";
      } catch {
        button.textContent = "Not saved";
      }
      button.removeAttribute("aria-busy");
      button.focus();
      setTimeout(() => { button.textContent = label; }, SHOWN_FOR);
    },
    true,
  );
})();
