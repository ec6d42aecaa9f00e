// names and keyboard access that the theme leaves out
document.querySelector("[data-md-component=search]")?.setAttribute("aria-label", "Search");
const reachable = () => {
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap")) wide.tabIndex = 0;
};
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
reachable();
