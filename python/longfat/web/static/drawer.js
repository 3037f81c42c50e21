// What stands beside a page where there is room, and comes when it is asked for where there is none.

import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./common.js";

const narrow = matchMedia("(max-width: 760px)");

function useNarrow() {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const change = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", change);
    return () => narrow.removeEventListener("change", change);
  }, []);
  return isNarrow;
}

/** A sidebar, or a button that opens a drawer. Escape closes it, and so does a touch beside it. */
export function Drawer({ name, children }) {
  const dialog = useRef(null);
  if (!useNarrow()) return html`<div class="sidebar">${children}</div>`;
  const closeBeside = (event) => { if (event.target === dialog.current) dialog.current.close(); };
  return html`<button type="button" class="drawer-button" onClick=${() => dialog.current.showModal()}>${name}</button>
    <dialog class="drawer" ref=${dialog} aria-label=${name} onClick=${closeBeside}>
      <button type="button" onClick=${() => dialog.current.close()}>Done</button>${children}</dialog>`;
}
