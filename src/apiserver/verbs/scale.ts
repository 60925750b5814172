import type { ActionStrategy, ScaleMapping, ScalePaths } from "../registry/strategy.ts";

export function scaleActions(_: ScalePaths | ScaleMapping<unknown>): ActionStrategy {
  return {};
}
