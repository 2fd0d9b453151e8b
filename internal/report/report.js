"use strict";
(() => {
  const pick = (id) => document.getElementById(id);
  const component = pick("f-component"), vcenter = pick("f-vcenter"), what = pick("f-what"), shown = pick("shown");
  const rows = [...document.querySelectorAll("[data-row]")];
  const has = (list, value) => value === "" || list === undefined || list === "" || list.split("\u001f").includes(value);
  const apply = () => {
    let n = 0;
    for (const row of rows) {
      const d = row.dataset;
      row.hidden = !has(d.component, component.value) || !has(d.vcenter, vcenter.value) || what.value !== "" && d.finding !== "1" && d.row !== "part";
      if (!row.hidden && d.row === "line") n++;
    }
    shown.textContent = component.value + vcenter.value + what.value === "" ? "" : n + " lines shown";
  };
  for (const field of [component, vcenter, what]) field.addEventListener("change", apply);
  pick("filters").hidden = false;
  let closed = [];
  addEventListener("beforeprint", () => { closed = [...document.querySelectorAll("details:not([open], .aside)")]; for (const d of closed) d.open = true; });
  addEventListener("afterprint", () => { for (const d of closed) d.open = false; });
  apply();
})();
