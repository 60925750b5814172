import {
  type ServerStorageVersion,
  type StorageVersion,
  type StorageVersionStatus,
  storageVersions,
} from "#/api/apiserverinternal/v1alpha1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import {
  isDNS1035Label,
  isDNS1123Subdomain,
  isQualifiedName,
  nameIsDNSSubdomain,
  type Problems,
} from "#/machinery/meta/names.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { FieldReport } from "../rules/field-report.ts";
import { keepSpec, keepStatus } from "../rules/keep-spec.ts";
import { validateClusterMeta } from "../rules/object-meta-rules.ts";

const statusPath = fieldPath("status");
const shownServers = 3;

/**
 * The versions that each API server can store.
 *
 * Upstream: pkg/registry/apiserverinternal/storageversion/strategy.go,
 * pkg/apis/apiserverinternal/validation/validation.go.
 */
export const storageVersion = serve(storageVersions, {
  allowUnconditionalUpdate: false,
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: ({ metadata, status }) => [
    ...validateClusterMeta(metadata, validateName),
    ...validateStatus(status),
  ],
  resetFields: ["status"],
  status: {
    prepareForUpdate: keepSpec,
    validateUpdate: ({ status }) => validateStatus(status),
    resetFields: ["spec"],
  },
  columns: [
    nameColumn,
    {
      name: "CommonEncodingVersion",
      type: "string",
      cell: ({ status }) => status.commonEncodingVersion ?? "<unset>",
    },
    { name: "StorageVersions", type: "string", cell: shownVersions },
    ageColumn,
  ],
});

function shownVersions({ status }: Decoded<StorageVersion>): string {
  const all = (status.storageVersions ?? []).map(
    ({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`,
  );
  const shown = all.slice(0, shownServers).join(",");
  return all.length > shownServers ? `${shown} + ${all.length - shownServers} more...` : shown;
}

function validateName(name: string): Problems {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...isDNS1123Subdomain(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...isDNS1035Label(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
}

function validateStatus(status: StorageVersionStatus) {
  const report = new FieldReport();
  const seen = new Set<string>();
  status.storageVersions?.forEach((server, index) => {
    const path = statusPath.child("storageVersions").index(index);
    const { apiServerID = "" } = server;
    if (seen.has(apiServerID)) report.duplicate(path, "apiServerID", apiServerID);
    seen.add(apiServerID);
    validateServer(report, path, server);
  });
  validateCommonVersion(report, status);
  validateVersionConditions(report, status);
  return report.errors;
}

function validateServer(report: FieldReport, path: FieldPath, server: ServerStorageVersion): void {
  const { apiServerID = "", encodingVersion = "" } = server;
  const { decodableVersions = [], servedVersions = [] } = server;
  report.problems(path, "apiServerID", apiServerID, nameIsDNSSubdomain(apiServerID, false));
  const check = (at: FieldPath, version: string) => {
    const problems = isApiVersion(version);
    if (problems.length > 0) report.invalid(at, "", version, problems.join(","));
  };
  check(path.child("encodingVersion"), encodingVersion);
  decodableVersions.forEach((version, index) => {
    check(path.child("decodableVersions").index(index), version);
  });
  const decodable = new Set(decodableVersions);
  if (!decodable.has(encodingVersion)) {
    const detail = `decodableVersions must include encodingVersion ${encodingVersion}`;
    report.invalid(path, "decodableVersions", new JsonValue(decodableVersions), detail);
  }
  const shown = decodableVersions.join(" ");
  servedVersions.forEach((version, index) => {
    const at = path.child("servedVersions").index(index);
    check(at, version);
    if (decodable.has(version)) return;
    const detail = `individual served version : ${version} must be included in decodableVersions : [${shown}]`;
    report.invalid(at, "", version, detail);
  });
}

function validateCommonVersion(report: FieldReport, status: StorageVersionStatus): void {
  const said = status.commonEncodingVersion;
  const versions = new Set(status.storageVersions?.map(({ encodingVersion }) => encodingVersion));
  const [only] = versions.size === 1 ? versions : [];
  if (said === only) return;
  const invalid = (value: string | JsonValue, detail: string) =>
    report.invalid(statusPath, "commonEncodingVersion", value, detail);
  if (only === undefined) {
    invalid(
      said ?? "",
      "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet",
    );
  } else if (said === undefined) {
    invalid(new JsonValue(null), `the common encoding version is ${only}`);
  } else invalid(said, `the actual common encoding version is ${only}`);
}

function validateVersionConditions(report: FieldReport, { conditions = [] }: StorageVersionStatus) {
  const seen = new Map<string, number>();
  conditions.forEach(({ type, status, reason, message = "" }, index) => {
    const path = statusPath.index(index);
    const other = seen.get(type);
    seen.set(type, index);
    if (other !== undefined) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${other}]`;
      report.invalid(path, "type", type, detail);
    }
    report.problems(path, "type", type, isQualifiedName(type));
    report.problems(path, "status", status, isQualifiedName(status));
    if (reason === "") report.required(path, "reason");
    if (message === "") report.required(path, "message");
  });
}

/** A version, after its group if it has one. */
function isApiVersion(text: string): Problems {
  const parts = text.split("/");
  const [version = ""] = parts.slice(-1);
  if (parts.length > 2) {
    return [
      "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')",
    ];
  }
  const empty = ["must be non-empty"];
  const group = parts.length === 2 ? (parts[0] ?? "") : undefined;
  const problems = (value: string, rule: (value: string) => Problems) =>
    value === "" ? empty : rule(value);
  return [
    ...(group === undefined ? [] : problems(group, isDNS1123Subdomain)).map(
      (problem) => `group part: ${problem}`,
    ),
    ...problems(version, isDNS1035Label).map((problem) => `version part: ${problem}`),
  ];
}
