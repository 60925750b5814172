import { deepCopy } from "#/machinery/deep-copy.ts";
import type { ApiObject } from "../registry/strategy.ts";

interface Parts {
  spec?: unknown;
  status?: unknown;
}

/** A write through the status of a kind whose metadata may change on the way: only the spec stays as it was. */
export function keepSpec(object: ApiObject & Parts, old: ApiObject & Parts): void {
  keep(object, old, "spec");
}

/** A write of an object whose status has its own endpoint: the status stays as it was. */
export function keepStatus(object: ApiObject & Parts, old: ApiObject & Parts): void {
  keep(object, old, "status");
}

function keep(object: Parts, old: Parts, part: keyof Parts): void {
  if (old[part] === undefined) delete object[part];
  else object[part] = deepCopy(old[part]);
}
