/** Upstream: pkg/security/apparmor/validate.go. */
import { readFileSync } from "node:fs";
import type { Pod } from "#/api/core/v1.ts";
import { allContainers } from "../../state/pod-containers.ts";
import type { Admission } from "../../state/pod-services.ts";

/** Whether the AppArmor profiles of a pod can be enforced here. Running pods are not checked again. */
export function admitAppArmor(pod: Pod, isEnabled: boolean): Admission {
  const phase = pod.status?.phase ?? "Pending";
  if (phase !== "Pending" || isEnabled || !isRequired(pod)) return { admitted: true };
  const message = "Cannot enforce AppArmor: AppArmor is not enabled on the host";
  return { admitted: false, reason: "AppArmor", message };
}

function isRequired(pod: Pod): boolean {
  const profiles = [
    pod.spec.securityContext?.appArmorProfile,
    ...allContainers(pod).map(({ securityContext }) => securityContext?.appArmorProfile),
  ];
  return profiles.some((profile) => profile !== undefined && profile.type !== "Unconfined");
}

/** Whether the kernel enforces AppArmor profiles. */
export function isAppArmorEnabled(file = "/sys/module/apparmor/parameters/enabled"): boolean {
  try {
    return readFileSync(file, "utf8").startsWith("Y");
  } catch {
    return false;
  }
}
