import type { Uint } from "./uint.ts";

/** What can be written literally: int as bigint, double as number, and the others as they are in JavaScript. */
export type Literal = boolean | bigint | number | string | null | Uint | Uint8Array;
