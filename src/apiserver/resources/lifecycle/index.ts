import type { Declaration } from "../../registry/strategy.ts";
import { eviction } from "./eviction.ts";
import { evictionRequest } from "./eviction-request.ts";

/** The resources of lifecycle.k8s.io. */
export const lifecycleResources: readonly Declaration[] = [evictionRequest, eviction];
