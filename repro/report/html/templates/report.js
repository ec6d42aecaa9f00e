"use strict";
const rows = [...document.querySelectorAll("tbody[data-paper]")];
const field = id => document.getElementById(id);
const text = new Map(rows.map(row => [row, (row.id + " " + row.textContent).toLowerCase()]));
function show() {
  const wanted = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const fits = ["paper", "kind", "verdict"].every(key => !field(key).value || row.dataset[key] === field(key).value)
      && wanted.every(word => text.get(row).includes(word));
    row.hidden = !fits;
    row.style.display = fits ? "" : "none";
    count += fits;
  }
  for (const part of document.querySelectorAll(".paper")) part.hidden = !part.querySelector("tbody[data-paper]:not([hidden])");
  field("shown").textContent = count + " of " + rows.length + " statements";
}
function open() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
}
field("filters").addEventListener("input", show);
field("filters").addEventListener("submit", event => event.preventDefault());
window.addEventListener("hashchange", open);
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(one => { one.open = true; }));
show();
open();
