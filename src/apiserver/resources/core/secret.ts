import { type Secret, secrets } from "#/api/core/v1.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  required,
  tooLong,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSSubdomain } from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { isConfigMapKey } from "#/machinery/meta/text-rules.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { append } from "#/std/base/append.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { validateMetaUpdate, validateNamespacedMeta } from "../rules/object-meta-rules.ts";
import { base64Bytes, maxDataBytes } from "./data-size.ts";
import { goUnmarshalProblem } from "./go-unmarshal.ts";
import { keyPairProblem } from "./key-pair.ts";

const opaque = "Opaque";
const tls = "kubernetes.io/tls";
const accountAnnotation = "kubernetes.io/service-account.name";

/** Upstream: pkg/registry/core/secret/strategy.go, pkg/apis/core/validation/validation.go. */
export const secret = serve(secrets, {
  isUnrecorded: true,
  setDefaults(object) {
    object.type ||= opaque;
    mergeStringData(object);
  },
  prepareForUpdate(object, old) {
    if (!object.type && old.type) object.type = old.type;
  },
  validate: validateSecret,
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...validateChange(object, old),
    ...validateSecret(object),
  ],
  warnings: keyPairWarnings,
  selectableFields: { type: ({ type }) => type ?? "" },
  columns: [
    nameColumn,
    { name: "Type", type: "string", cell: ({ type }) => type ?? "" },
    { name: "Data", type: "string", cell: ({ data }) => Object.keys(data ?? {}).length },
    ageColumn,
  ],
});

/** stringData is write-only: its values are copied to data and replace those there. */
function mergeStringData(object: Secret): void {
  if (object.stringData === undefined) return;
  object.data ??= {};
  for (const [key, text] of Object.entries(object.stringData)) {
    object.data[key] = Buffer.from(text).toString("base64");
  }
  delete object.stringData;
}

function validateSecret({ metadata, data = {}, type }: Decoded<Secret>): FieldError[] {
  const errors = validateNamespacedMeta(metadata, nameIsDNSSubdomain);
  const path = fieldPath("data");
  let bytes = 0;
  for (const key in data) {
    for (const problem of isConfigMapKey(key)) errors.push(invalid(path.key(key), key, problem));
    bytes += base64Bytes(data[key] ?? "");
  }
  if (bytes > maxDataBytes) errors.push(tooLong(path, maxDataBytes));
  if (
    type === "kubernetes.io/service-account-token" &&
    !metadata.annotations?.[accountAnnotation]
  ) {
    errors.push(required(fieldPath("metadata", "annotations").key(accountAnnotation)));
  }
  append(errors, validateContent(type ?? "", data));
  return errors;
}

/** Checks the keys that a type of Secret requires. */
function validateContent(type: string, data: Readonly<Record<string, string>>): FieldError[] {
  const path = fieldPath("data");
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(path.key(key)));
  switch (type) {
    case "kubernetes.io/dockercfg":
      return validateDockerConfig(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return validateDockerConfig(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const absent = missing("username", "password");
      return absent.length === 2 ? absent : [];
    }
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [required(path.key("ssh-privatekey"))];
    case tls:
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

function validateDockerConfig(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const path = fieldPath("data").key(key);
  const text = data[key];
  if (text === undefined) return [required(path)];
  const problem = goUnmarshalProblem(Buffer.from(text, "base64").toString("utf8"));
  return problem === undefined ? [] : [invalid(path, "<secret contents redacted>", problem)];
}

function validateChange(object: Secret, old: Secret): FieldError[] {
  const errors: FieldError[] = [];
  if (object.type !== old.type) {
    errors.push(invalid(fieldPath("type"), new JsonValue(object.type), immutableMessage));
  }
  if (!old.immutable) return errors;
  const detail = "field is immutable when `immutable` is set";
  if (!object.immutable) errors.push(forbidden(fieldPath("immutable"), detail));
  if (!deepEqual(object.data, old.data)) errors.push(forbidden(fieldPath("data"), detail));
  return errors;
}

function keyPairWarnings({ type, data }: Secret): string[] {
  if (type !== tls) return [];
  const problem = keyPairProblem(
    Buffer.from(data?.["tls.crt"] ?? "", "base64").toString("latin1"),
    Buffer.from(data?.["tls.key"] ?? "", "base64").toString("latin1"),
  );
  return problem === undefined ? [] : [problem];
}
