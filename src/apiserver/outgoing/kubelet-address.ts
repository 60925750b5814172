import type { Location } from "./location.ts";

/** How to get to one kubelet. */
export interface KubeletAddress extends Pick<Location, "scheme" | "hostname"> {
  readonly port: number;
  /** What the kubelet says it can do. */
  readonly features: readonly string[];
}
