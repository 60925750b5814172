import type { Declaration } from "../../registry/strategy.ts";
import { endpointSlice } from "./endpoint-slice.ts";

/** The resources of discovery.k8s.io. */
export const discoveryResources: readonly Declaration[] = [endpointSlice];
