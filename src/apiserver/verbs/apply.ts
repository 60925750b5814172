import { unsupportedMediaType } from "#/machinery/status-error.ts";
import type { Declaration } from "../registry/strategy.ts";
import type { Result } from "./result.ts";
import type { ResourceRequest } from "./write-request.ts";

export const applyTypes: readonly string[] = ["application/apply-patch+yaml"];

export async function applyConfiguration(_: ResourceRequest, __?: Declaration): Promise<Result> {
  throw unsupportedMediaType([]);
}
