import type { Uint } from "./uint.ts";

/** Values that have literals: int as bigint, double as number, and the others as in JavaScript. */
export type Literal = boolean | bigint | number | string | null | Uint | Uint8Array;
