// names and keyboard access that the theme leaves out
document.querySelector("[data-md-component=search]")?.setAttribute("aria-label", "Search");
const reachable = () => {
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset .output, .md-typeset .printed, .md-typeset p"))
    if (one.scrollWidth > one.clientWidth || one.matches(".md-typeset__scrollwrap")) one.tabIndex = 0;
};
new MutationObserver(reachable).observe(document.body, { childList: true, subtree: true });
reachable();
