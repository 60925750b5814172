import type { Location } from "./location.ts";

/** Address of one kubelet. */
export interface KubeletAddress extends Pick<Location, "scheme" | "hostname"> {
  readonly port: number;
  /** Features that the kubelet declares. */
  readonly features: readonly string[];
}
