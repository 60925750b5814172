import type { Declaration } from "../../registry/strategy.ts";
import { apiService } from "./api-service.ts";

/** The resources of apiregistration.k8s.io. */
export const apiregistrationResources: readonly Declaration[] = [apiService];
