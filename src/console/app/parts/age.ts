import { h, type JSX } from "preact";
import { now } from "../base/now.ts";
import { formatAge } from "../model/age.ts";

/** The time since a moment; the moment itself when it is pointed at. */
export function Age({ ms }: { readonly ms: number }): JSX.Element {
  if (!Number.isFinite(ms) || ms <= 0) return h("span", { class: "age" }, "");
  const at = new Date(ms);
  return h(
    "time",
    { class: "age", dateTime: at.toISOString(), title: at.toLocaleString() },
    formatAge(now.value - ms),
  );
}
