import { fieldTypeOf } from "#/machinery/apply/field-type.ts";
import { joinMessages, validateObject } from "#/machinery/apply/validate.ts";
import { ConversionError, type KindVersion, type ManagedKind } from "#/machinery/apply/versions.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { asError } from "#/std/base/as-error.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { memoByIdentity } from "#/std/memory/memo.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { ApiObject, ManagedVersions } from "../registry/strategy.ts";

/** The kind of a request, with all its versions, for field management. No webhook is called. */
export const managedKind = (target: VersionedResource): ManagedKind =>
  kindOf(target, (name) => servedVersion(target, name));

/**
 * Runs a computation of field management on a kind. If a webhook converts, the computation runs again with the results
 * of each missing conversion until none is missing: it is pure, so it needs the same, finitely many, conversions each
 * time.
 */
export async function withManagedKind<T>(
  target: VersionedResource,
  compute: (kind: ManagedKind) => MaybePromise<T>,
): Promise<T> {
  const { managedVersions } = target.resource.declaration;
  if (!managedVersions) return compute(managedKind(target));
  const conversions = new Conversions(target, managedVersions);
  const kind = kindOf(target, (name) => conversions.version(name));
  for (;;) {
    const attempt = await attempted(() => compute(kind));
    if (!(await conversions.convertMissing())) return attempt();
  }
}

const kindOf = (
  { apiVersion, version, schema }: VersionedResource,
  find: (apiVersion: string) => KindVersion | undefined,
): ManagedKind => ({ apiVersion, kind: version.handle.kind, schema, version: find });

function servedVersion(target: VersionedResource, name: string): KindVersion | undefined {
  const versions = [...target.resource.versions.values()];
  const other = versions.find(({ apiVersion }) => apiVersion === name);
  if (!other) return undefined;
  return { schema: other.schema, convert: (object) => convert(target, other, object) };
}

/** Built-in versions convert without I/O. */
function convert(from: VersionedResource, to: VersionedResource, object: JsonObject): JsonObject {
  if (!from.local || !to.local) throw new Error("conversion needs I/O");
  const stored = from.local.toStored({ ...object } as unknown as ApiObject);
  return to.local.fromStored(stored) as unknown as JsonObject;
}

/** A function's result, computed on demand; also an exception. */
async function attempted<T>(run: () => MaybePromise<T>): Promise<() => T> {
  try {
    const value = await run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/**
 * The conversions of one request for a custom resource, each through the version of the request.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/converter.go,
 * staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/versionconverter.go.
 */
class Conversions {
  readonly #hub: string;
  readonly #versions: ManagedVersions;
  /** By version and content, as each run makes the same object again. */
  readonly #known = new Map<string, JsonObject | ConversionError>();
  /** Many managers are compared with the same object, which is encoded once. */
  readonly #textOf = memoByIdentity((object: JsonObject) => JSON.stringify(object));
  #missing: Wanted | undefined;

  constructor({ apiVersion }: VersionedResource, versions: ManagedVersions) {
    this.#hub = apiVersion;
    this.#versions = versions;
  }

  version(apiVersion: string): KindVersion {
    const schema = this.#versions.schemaOf(apiVersion);
    if (!schema) {
      throw new ConversionError(`request to convert CR to an invalid group/version: ${apiVersion}`);
    }
    return {
      schema,
      convert: (object) => {
        const converted = this.#convert(this.#convert(object, this.#hub), apiVersion);
        const problems = validateObject(fieldTypeOf(schema, { structured: false }), converted);
        if (problems.length > 0) throw new ConversionError(joinMessages(problems));
        return converted;
      },
    };
  }

  /** Converts what the last run lacked; false if it lacked nothing. */
  async convertMissing(): Promise<boolean> {
    const missing = this.#missing;
    if (!missing || !this.#versions.convert) return false;
    const { object, apiVersion } = missing;
    this.#missing = undefined;
    const key = this.#keyOf(missing);
    try {
      const converted = await this.#versions.convert(object as unknown as ApiObject, apiVersion);
      this.#known.set(key, converted as unknown as JsonObject);
    } catch (error) {
      this.#known.set(key, new ConversionError(asError(error).message));
    }
    return true;
  }

  #convert(object: JsonObject, apiVersion: string): JsonObject {
    if (object["apiVersion"] === apiVersion) return object;
    if (!this.#versions.convert || isEmpty(object)) return { ...object, apiVersion };
    const wanted = { object, apiVersion };
    const known = this.#known.get(this.#keyOf(wanted));
    if (known instanceof ConversionError) throw known;
    if (known) return known;
    this.#missing = wanted;
    throw new ConversionError("not converted yet");
  }

  #keyOf({ object, apiVersion }: Wanted): string {
    return `${apiVersion} ${this.#textOf(object)}`;
  }
}

/** An object and the target version of its conversion. */
interface Wanted {
  readonly object: JsonObject;
  readonly apiVersion: string;
}

/** Only apiVersion and kind: no webhook is called for that. */
const isEmpty = (object: JsonObject): boolean =>
  Object.keys(object).every((key) => key === "apiVersion" || key === "kind");
