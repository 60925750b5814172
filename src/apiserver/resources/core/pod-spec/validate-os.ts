import type { PodSecurityContext, PodSpec, SecurityContext } from "#/api/core/v1.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { visitContainers } from "./base/visit-containers.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const systems = ["linux", "windows"];

/** Checks the operating system of a Pod, and that no field belongs to another one. */
export function validateOS(spec: PodSpec, path: FieldPath, report: FieldReport): void {
  if (spec.os === undefined) return;
  const { name } = spec.os;
  if (!name) report.required(path.child("os"), "name");
  else if (name === "linux") validateLinux(spec, path, report);
  else if (name === "windows") validateWindows(spec, path, report);
  else report.notSupported(path, "os", name, systems);
}

function validateLinux(spec: PodSpec, path: FieldPath, report: FieldReport): void {
  const detail = "windows options cannot be set for a linux pod";
  if (spec.securityContext?.windowsOptions) {
    report.forbidden(path.child("securityContext"), "windowsOptions", detail);
  }
  visitContainers(spec, path, ({ securityContext }, at) => {
    if (!securityContext?.windowsOptions) return;
    report.forbidden(at.child("securityContext"), "windowsOptions", detail);
  });
}

const podFields: readonly (keyof PodSecurityContext)[] = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
];

const containerFields: readonly (keyof SecurityContext)[] = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
];

const specFields = ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"] as const;

function validateWindows(spec: PodSpec, path: FieldPath, report: FieldReport): void {
  const refuse = <T extends object>(
    object: T | undefined,
    fields: readonly (keyof T & string)[],
    place: () => FieldPath,
  ): void => {
    if (object === undefined) return;
    for (const field of fields) {
      if (object[field] === undefined) continue;
      report.forbidden(place(), field, "cannot be set for a windows pod");
    }
  };
  refuse(spec.securityContext, podFields, () => path.child("securityContext"));
  refuse(spec, specFields, () => path);
  visitContainers(spec, path, ({ securityContext }, at) => {
    refuse(securityContext, containerFields, () => at.child("securityContext"));
  });
}
