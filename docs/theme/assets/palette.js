// Shows the page in the colours that were chosen before, until the theme's own script has loaded.

{
  const chosen = window.__md_get("__palette")?.color;
  if (chosen) {
    let colours = chosen;
    if (chosen.media === "(prefers-color-scheme)") {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      const media = `(prefers-color-scheme: ${dark ? "dark" : "light"})`;
      const { dataset } = document.querySelector(`[data-md-color-media="${media}"]`);
      colours = { ...chosen, scheme: dataset.mdColorScheme };
    }
    for (const [name, value] of Object.entries(colours)) {
      document.body.setAttribute(`data-md-color-${name}`, value);
    }
  }
}
