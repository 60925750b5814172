import type { Change, World } from "../world.ts";

/** Something that must hold after every single write. */
export interface Property {
  readonly name: string;
  /** What is wrong now; undefined if nothing is. */
  check(change: Change, world: World): string | undefined;
}
