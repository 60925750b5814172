import { parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import type { Exchange } from "../model/exchange.ts";
import { isLarge, paceOf } from "../model/pace.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { StoredObject } from "../registry/stored-object.ts";
import type { Declaration, ServedVersion, WebhookConversion } from "../registry/strategy.ts";
import type { WatchScope } from "../registry/watch-cache.ts";
import { type WantedTrait, wantedFields, wantedLabels } from "./wanted-traits.ts";

/** The objects of a resource that a list or watch selects. */
export interface Selection {
  readonly scope: WatchScope;
  /** The item key, if only one object is possible. */
  readonly itemKey: string | undefined;
  /** Selectors within the scope; undefined if everything in scope is selected. */
  readonly matches: ((object: StoredObject) => boolean) | undefined;
  /** Requirements of `matches` that an index can find. */
  readonly wanted?: readonly WantedTrait[];
  /** To be called with objects before `matches`, if it reads fields that a webhook must convert. */
  readonly prepare?: WebhookConversion["prepare"] | undefined;
}

interface SelectionOptions {
  readonly namespace: string;
  /** Name in the path, for a watch of one object. */
  readonly name: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** The selection of a request: long selectors are compiled in a turn of their own. */
export async function selectInPace(
  exchange: Exchange,
  target: VersionedResource,
  options: SelectionOptions,
): Promise<Selection> {
  const length = options.labelSelector.length + options.fieldSelector.length;
  if (!isLarge(length)) return select(target, options);
  const pace = paceOf(exchange);
  await pace.begin(length, "selectors");
  const selection = select(target, options);
  await pace.begin(length, "list");
  return selection;
}

/** Compiles selectors once for a request; throws 400 for invalid or unsupported ones. */
function select(
  { resource, version }: Pick<VersionedResource, "resource" | "version">,
  options: SelectionOptions,
): Selection {
  const { selectableFields, fieldLabels } = version;
  const declaration: Declaration = selectableFields
    ? { ...resource.declaration, selectableFields }
    : resource.declaration;
  const { handle, indexedField } = declaration;
  const labels = parse(() => parseSelector(options.labelSelector));
  const fields = parse(() => parseFieldSelector(options.fieldSelector));
  const ownFields = fields.requirements.map(({ field }) =>
    ownLabel(declaration, field, fieldLabels),
  );
  const getters = ownFields.map((field) => getterOf(declaration, version, field));

  const selectedName = fields.requiresExactMatch("metadata.name");
  if (options.name !== "" && selectedName !== undefined && selectedName !== options.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const name = options.name || selectedName;
  const namespace =
    options.namespace || (handle.namespaced ? fields.requiresExactMatch("metadata.namespace") : "");
  const keyPrefix = handle.namespaced && namespace ? `${namespace}/` : "";
  const itemKey = name && (!handle.namespaced || namespace) ? keyPrefix + name : undefined;
  const wantsName = options.name !== "" && selectedName === undefined;

  const indexed = indexedField === undefined ? undefined : fields.requiresExactMatch(indexedField);
  const scope: WatchScope = {
    keyPrefix: itemKey ?? keyPrefix,
    indexed: itemKey ? undefined : indexed,
  };
  const unfiltered = labels.isEverything && fields.requirements.length === 0 && !wantsName;
  if (unfiltered && (indexed === undefined || scope.keyPrefix === "")) {
    return { scope, itemKey, matches: undefined };
  }
  const isOwn = fields.requirements.some(({ field }) => !field.startsWith("metadata."));
  const matches = (object: StoredObject): boolean =>
    labels.matches(object.labels) &&
    (!wantsName || object.name === options.name) &&
    (!namespace || !handle.namespaced || object.namespace === namespace) &&
    fields.requirements.every(({ operator, value }, index) => {
      const equal = (getters[index]?.(object) ?? "") === value;
      return operator === "!=" ? !equal : equal;
    });
  const wanted = [
    ...wantedFields(fields.requirements, ownFields, { resource, version }),
    ...wantedLabels(labels),
  ];
  return { scope, itemKey, matches, wanted, prepare: isOwn ? version.webhook?.prepare : undefined };
}

/** The strategy's name of a version's field label. */
function ownLabel(
  declaration: Declaration,
  field: string,
  labels: ServedVersion["fieldLabels"],
): string {
  if (!labels || field === "metadata.name" || field === "metadata.namespace") return field;
  const own = Object.hasOwn(labels, field) ? labels[field] : undefined;
  if (own === undefined) throw badRequest(unknownField(declaration, field));
  return own;
}

/** The trait of a field; without parsing the object if possible. */
function getterOf(
  declaration: Declaration,
  { selectableFields, webhook }: ServedVersion,
  field: string,
): (object: StoredObject) => string {
  const known = declaration.selectableFields;
  const custom = known && Object.hasOwn(known, field) ? known[field] : undefined;
  if (custom && webhook)
    return (stored) => custom(webhook.prepared(stored.parsed()) ?? stored.parsed());
  if (custom && selectableFields) return (stored) => custom(stored.parsed());
  if (custom) return (object) => object.fieldValue(field) ?? "";
  if (field === "metadata.name") return (object) => object.name;
  if (field === "metadata.namespace" && declaration.handle.namespaced) {
    return (object) => object.namespace;
  }
  throw badRequest(declaration.unknownFieldMessage?.(field) ?? unknownField(declaration, field));
}

function unknownField(declaration: Declaration, field: string): string {
  if (declaration.selectableFields) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function parse<T>(parser: () => T): T {
  try {
    return parser();
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
