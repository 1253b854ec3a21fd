// What assistive technology needs and the theme leaves out: names that differ, and places that a keyboard can scroll.
function complete() {
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
  document.querySelectorAll("nav.md-code__nav").forEach((each, n) => each.setAttribute("aria-label", `Code ${n + 1}`));
  document.querySelectorAll("nav.md-nav nav.md-nav").forEach((each, n) => {
    const title = each.querySelector(".md-nav__title")?.textContent.trim() ?? "";
    each.removeAttribute("aria-labelledby");
    each.setAttribute("aria-label", `Pages ${n + 1}: ${title}`);
  });
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((each) => each.setAttribute("tabindex", "0"));
}

new MutationObserver(complete).observe(document.documentElement, { childList: true, subtree: true });
complete();
