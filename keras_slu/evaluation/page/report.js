"use strict";
const form = document.querySelector("form.filter");

function filter() {
  const { kind, label, text } = form.elements;
  const wanted = text.value.trim().toLowerCase();
  const items = [...document.querySelectorAll("ol.errors > li")];
  let shown = 0;
  for (const item of items) {
    const fits =
      (!kind.value || JSON.parse(item.dataset.kinds).includes(kind.value)) &&
      (!label.value || JSON.parse(item.dataset.labels).includes(label.value)) &&
      item.querySelector(".text").textContent.toLowerCase().includes(wanted);
    item.hidden = !fits;
    shown += fits;
  }
  form.querySelector("output").textContent = `${shown} of ${items.length}`;
  document.querySelector(".none").hidden = shown > 0;
}

if (form) {
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const link of document.querySelectorAll("a[data-kind]")) {
    link.addEventListener("click", () => {
      form.reset();
      form.elements.kind.value = link.dataset.kind;
      filter();
    });
  }
  filter();
}
