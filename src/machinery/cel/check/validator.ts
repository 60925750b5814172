import type { Checked } from "../model/checked.ts";
import type { Issues } from "../syntax/issues.ts";

/** Finds what the types of an expression do not tell: literals that stand for nothing. */
export type Validator = (expr: Checked, issues: Issues) => void;
