import type {
  AppArmorProfile,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
  Sysctl,
} from "#/api/core/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isLongerThan } from "#/machinery/meta/names.ts";
import { isGroupID, isUserID } from "#/machinery/meta/text-rules.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import { coreInternalForm } from "../../rules/internal-form.ts";
import type { ValidationScope } from "./base/validation-scope.ts";
import { hostSysctlProblem } from "./host-sysctl.ts";
import { validateWindowsOptions } from "./validate-windows.ts";
import { validateDescendingPath } from "./volumes/local-path.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const procMounts = ["Default", "Unmasked"];

/** Checks the security context of a container. */
export function validateSecurityContext(
  context: SecurityContext | undefined,
  path: FieldPath,
  scope: ValidationScope,
): void {
  if (context === undefined) return;
  const { report, options, hostUsers } = scope;
  const { privileged, runAsUser, runAsGroup, procMount } = context;
  if (privileged && !options.allowPrivileged) {
    report.forbidden(path, "privileged", "disallowed by cluster policy");
  }
  if (runAsUser !== undefined) report.problems(path, "runAsUser", runAsUser, isUserID(runAsUser));
  if (runAsGroup !== undefined) {
    report.problems(path, "runAsGroup", runAsGroup, isGroupID(runAsGroup));
  }
  if (procMount !== undefined && !procMounts.includes(procMount)) {
    report.notSupported(path, "procMount", procMount, procMounts);
  }
  if (hostUsers && procMount === "Unmasked") {
    const detail = "`hostUsers` must be false to use `Unmasked`";
    report.invalid(path, "procMount", new JsonValue(procMount), detail);
  }
  validateSeccompProfile(report, path.child("seccompProfile"), context.seccompProfile);
  validateEscalation(context, path, scope);
  validateWindowsOptions(report, path.child("windowsOptions"), context.windowsOptions);
  validateAppArmorProfile(report, path.child("appArmorProfile"), context.appArmorProfile);
}

function validateEscalation(
  context: SecurityContext,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  if (context.allowPrivilegeEscalation !== false) return;
  if (context.privileged) {
    const detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
    report.invalid(path, "", coreInternalForm("SecurityContext", context), detail);
  }
  if (options.allowSysAdminWithoutEscalation) return;
  for (const capability of context.capabilities?.add ?? []) {
    if (capability !== "CAP_SYS_ADMIN") continue;
    const detail =
      "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
    report.invalid(path, "", coreInternalForm("SecurityContext", context), detail);
  }
}

const fsGroupPolicies = ["Always", "OnRootMismatch"];
const groupsPolicies = ["Merge", "Strict"];
const seLinuxPolicies = ["MountOption", "Recursive"];

/** Checks the security context of a Pod. */
export function validatePodSecurityContext(
  spec: PodSpec,
  path: FieldPath,
  scope: ValidationScope,
): void {
  const { securityContext: context } = spec;
  if (context === undefined) return;
  const { report } = scope;
  const { fsGroup, runAsUser, runAsGroup, supplementalGroups, sysctls } = context;
  if (fsGroup !== undefined) report.problems(path, "fsGroup", fsGroup, isGroupID(fsGroup));
  if (runAsUser !== undefined) report.problems(path, "runAsUser", runAsUser, isUserID(runAsUser));
  if (runAsGroup !== undefined) {
    report.problems(path, "runAsGroup", runAsGroup, isGroupID(runAsGroup));
  }
  supplementalGroups?.forEach((group, index) => {
    const problems = isGroupID(group);
    if (problems.length === 0) return;
    report.problems(path.child("supplementalGroups").index(index), "", group, problems);
  });
  if (sysctls) validateSysctls(sysctls, path.child("sysctls"), spec, scope);
  validatePodPolicies(context, path, scope);
}

function validatePodPolicies(
  context: PodSecurityContext,
  path: FieldPath,
  { report, options }: ValidationScope,
): void {
  const { fsGroupChangePolicy, supplementalGroupsPolicy, seLinuxChangePolicy } = context;
  const oneOf = (field: string, value: string | undefined, allowed: readonly string[]): void => {
    if (value === undefined || allowed.includes(value)) return;
    report.notSupported(path, field, value, allowed);
  };
  oneOf("fsGroupChangePolicy", fsGroupChangePolicy, fsGroupPolicies);
  validateSeccompProfile(report, path.child("seccompProfile"), context.seccompProfile);
  validateWindowsOptions(report, path.child("windowsOptions"), context.windowsOptions);
  validateAppArmorProfile(report, path.child("appArmorProfile"), context.appArmorProfile);
  oneOf("supplementalGroupsPolicy", supplementalGroupsPolicy, groupsPolicies);
  const policies = options.allowOnlyRecursiveSELinuxChange ? ["Recursive"] : seLinuxPolicies;
  oneOf("seLinuxChangePolicy", seLinuxChangePolicy, policies);
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlPattern = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
const sysctlMatcher = new RegExp(sysctlPattern);
const maxSysctlBytes = 253;

function validateSysctls(
  sysctls: readonly Sysctl[],
  path: FieldPath,
  spec: PodSpec,
  { report, options }: ValidationScope,
): void {
  const names = new Set<string>();
  sysctls.forEach(({ name = "" }, index) => {
    const at = path.index(index);
    if (name === "") report.required(at, "name");
    else if (isLongerThan(name, maxSysctlBytes) || !sysctlMatcher.test(name)) {
      const detail = `must have at most ${maxSysctlBytes} characters and match regex ${sysctlPattern}`;
      report.invalid(at, "name", name, detail);
    } else if (names.has(name)) report.duplicate(at, "name", name);
    const problem = options.allowHostSysctls ? undefined : hostSysctlProblem(name, spec);
    if (problem !== undefined) report.invalid(at, "name", name, problem);
    names.add(name);
  });
}

const seccompTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function validateSeccompProfile(
  report: FieldReport,
  path: FieldPath,
  profile: SeccompProfile | undefined,
): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (!type) report.required(path, "type", "type is required when seccompProfile is set");
  else if (!seccompTypes.includes(type)) report.notSupported(path, "type", type, seccompTypes);
  if (type !== "Localhost") {
    if (localhostProfile === undefined) return;
    const shown = coreInternalForm("SeccompProfile", profile);
    const detail = "can only be set when seccomp type is Localhost";
    report.invalid(path, "localhostProfile", shown, detail);
  } else if (localhostProfile === undefined) {
    report.required(path, "localhostProfile", "must be set when seccomp type is Localhost");
  } else validateDescendingPath(report, path, "localhostProfile", localhostProfile);
}

/** Limit of a path (bytes): PATH_MAX without the terminating zero. */
const maxProfileBytes = 4095;

/** Checks an AppArmor profile. */
export function validateAppArmorProfile(
  report: FieldReport,
  path: FieldPath,
  profile: AppArmorProfile | undefined,
): void {
  if (profile === undefined) return;
  const { type, localhostProfile: name } = profile;
  switch (type) {
    case "Localhost":
      validateLocalProfile(report, path, name);
      return;
    case "RuntimeDefault":
    case "Unconfined":
      if (name === undefined) return;
      report.invalid(
        path,
        "localhostProfile",
        new JsonValue(name),
        "can only be set when AppArmor type is Localhost",
      );
      return;
    default:
      if (!type) report.required(path, "type", "type is required when appArmorProfile is set");
      else report.notSupported(path, "type", type, seccompTypes);
  }
}

function validateLocalProfile(
  report: FieldReport,
  path: FieldPath,
  name: string | undefined,
): void {
  const missing = "must be set when AppArmor type is Localhost";
  if (name === undefined) {
    report.required(path, "localhostProfile", missing);
    return;
  }
  if (name.trim() !== name) {
    report.invalid(path, "localhostProfile", name, "must not be padded with whitespace");
  } else if (name === "") report.required(path, "localhostProfile", missing);
  if (isLongerThan(name, maxProfileBytes)) {
    report.tooLong(path, "localhostProfile", maxProfileBytes);
  }
}
