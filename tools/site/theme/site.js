document.addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.ariaLevel = "2";
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "On this page");
  for (const block of document.querySelectorAll("article :is(pre, .table-wrapper)")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0; // keys can scroll it
  }
  offerVersions(document.querySelector("[data-versions]"));
});

// Other versions: versions.json at the root of the site, a list of { "version", "url" } that the host keeps.
async function offerVersions(place) {
  if (!place || location.protocol === "file:") return;
  const response = await fetch(place.dataset.versions).catch(() => null);
  const versions = response?.ok ? await response.json() : [];
  if (!versions.length) return;
  const select = document.createElement("select");
  select.setAttribute("aria-label", "Version");
  for (const { version, url } of versions) {
    select.append(new Option(version, url, false, version === place.textContent.trim()));
  }
  select.addEventListener("change", () => location.assign(select.value));
  place.replaceChildren(select);
}
