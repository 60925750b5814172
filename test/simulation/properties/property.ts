import type { Change, World } from "../world.ts";

/** A claim that must hold after every single write. */
export interface Property {
  readonly name: string;
  /** The current violation; undefined if there is none. */
  check(change: Change, world: World): string | undefined;
}
