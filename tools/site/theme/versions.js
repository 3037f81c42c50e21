// Other versions: versions.json at the root of the site, a list of { "version", "url" } that the host keeps.
document.addEventListener("DOMContentLoaded", async () => {
  const place = document.querySelector("[data-versions]");
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
});
