import type { Checked } from "../model/checked.ts";
import type { Issues } from "../syntax/issues.ts";

/** Finds errors that the type checker does not: invalid literals. */
export type Validator = (expr: Checked, issues: Issues) => void;
