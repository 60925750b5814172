import type { PodSpec, WindowsSecurityContextOptions } from "#/api/core/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Subdomain, isLongerThan } from "#/machinery/meta/names.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import type { ValidationScope } from "./base/validation-scope.ts";
import { visitContainers } from "./base/visit-containers.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

const maxCredentialKib = 64;

/** Checks the Windows options of containers. */
export function validateWindowsOptions(
  report: FieldReport,
  path: FieldPath,
  options: WindowsSecurityContextOptions | undefined,
): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName } = options;
  if (specName !== undefined) {
    const problems = isDNS1123Subdomain(specName);
    report.problems(path, "gmsaCredentialSpecName", new JsonValue(specName), problems);
  }
  if (spec === "") {
    const detail = "gmsaCredentialSpec cannot be an empty string";
    report.invalid(path, "gmsaCredentialSpec", spec, detail);
  } else if (spec !== undefined && isLongerThan(spec, maxCredentialKib * 1024)) {
    const detail = `gmsaCredentialSpec size must be under ${maxCredentialKib} KiB`;
    report.invalid(path, "gmsaCredentialSpec", new JsonValue(spec), detail);
  }
  if (runAsUserName === undefined) return;
  for (const problem of userNameProblems(runAsUserName)) {
    report.invalid(path, "runAsUserName", new JsonValue(runAsUserName), `runAsUserName${problem}`);
  }
}

const maxDomainBytes = 256;
const maxUserBytes = 104;
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const domainLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const domainName = new RegExp(`^${domainLabel}(?:\\.${domainLabel})*$`);
const controls = /[\p{Cc}--[\u0080-\u009f]]/v;

/** Problems of DOMAIN\user, each as the end of a sentence about runAsUserName. */
function userNameProblems(name: string): string[] {
  if (name === "") return [" cannot be an empty string"];
  if (controls.test(name)) return [" cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return [" cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const problems: string[] = [];
  if (domain !== undefined && isLongerThan(domain, maxDomainBytes - 1)) {
    problems.push(`'s Domain length must be under ${maxDomainBytes} characters`);
  }
  if (domain !== undefined && !netBiosName.test(domain) && !domainName.test(domain)) {
    problems.push("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("'s User cannot be empty");
  else if (isLongerThan(user, maxUserBytes)) {
    problems.push(`'s User length must not be longer than ${maxUserBytes} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("'s User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push(`'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return problems;
}

/** Checks HostProcess Pods: all containers must be such, use the host network, and be allowed to be privileged. */
export function validateHostProcess(spec: PodSpec, path: FieldPath, scope: ValidationScope): void {
  const { report, options } = scope;
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let onHost = 0;
  visitContainers(spec, path, ({ securityContext }, at) => {
    const own = securityContext?.windowsOptions?.hostProcess;
    containers++;
    if (own ?? ofPod) onHost++;
    if (ofPod === undefined || own === undefined || own === ofPod) return;
    const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    const place = at.child("securityContext").child("windowsOptions");
    report.invalid(place, "hostProcess", own, detail);
  });
  if (onHost === 0) return;
  if (onHost !== containers) {
    const detail =
      "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    report.invalid(path, "", "", detail);
  }
  if (!spec.hostNetwork) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    report.invalid(path, "hostNetwork", false, detail);
  }
  if (!options.allowPrivileged) {
    report.forbidden(path, "", "hostProcess containers are disallowed by cluster policy");
  }
}
