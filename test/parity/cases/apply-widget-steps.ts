import type { Step } from "../case.ts";
import { apply, widgets } from "./steps.ts";

/** The one widget of these cases. */
export const path = `${widgets}/w`;

/** The widget with this spec. */
export const widget = (spec: object, more: object = {}) => ({
  apiVersion: "parity.example.com/v1",
  kind: "Widget",
  metadata: { name: "w" },
  ...more,
  spec,
});

/** An apply of this spec by a manager. */
export const by = (manager: string, spec: object, force?: boolean): Step =>
  apply(path, widget(spec), force === undefined ? { manager } : { manager, force });
