import { objectFormats } from "../../printers/print-flags.ts";

/** The formats of `kubectl get`, in upstream's order. */
export const getFormats: readonly string[] = [
  ...objectFormats,
  "custom-columns",
  "custom-columns-file",
  "wide",
];
