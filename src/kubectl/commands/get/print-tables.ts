/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/get/get.go (Run). */
import { nextTurn } from "#/std/time/clock.ts";
import { withoutNotFound } from "../../actions/not-found.ts";
import { Errors } from "../../base/errors.ts";
import type { Context } from "../../command/context.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import type { ResourceBuilder } from "../../resource/builder.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { GetInvocation } from "./get.ts";

/** Prints tables, one for each type, with an empty line between them. */
export async function printTables(
  { flags }: GetInvocation,
  context: Context,
  builder: ResourceBuilder,
): Promise<void> {
  // After the request is sent: the printer is loaded while the server processes the request.
  const tables = nextTurn()
    .then(() => import("./tables.ts"))
    .then(({ Tables }) => new Tables(flags, context));
  const sortBy = flags["sort-by"];
  let isNamespaced = true;
  let error: unknown;
  if (sortBy === "" && (await builder.selections())?.length === 1) {
    // Pages of one type are printed as they arrive, and not kept.
    error = await builder.tryVisit(async (info) => {
      isNamespaced &&= info.namespaced;
      (await tables).print(info, flags["show-kind"]);
    });
  } else {
    const found = await builder.tryInfos();
    error = found.error;
    const infos =
      sortBy === ""
        ? found.infos
        : (await import("./sort-infos.ts")).sortInfos(found.infos, sortBy, context);
    isNamespaced = infos.every((info) => info.namespaced);
    const showsKind = flags["show-kind"] || hasSeveralKinds(infos);
    for (const info of infos) (await tables).print(info, showsKind);
  }
  const isEmpty = (await tables).finish();
  const failure = flags["ignore-not-found"] ? withoutNotFound(error) : error;
  if (isEmpty && !flags["ignore-not-found"] && failure === undefined) {
    await sayNothingFound(isNamespaced && !flags["all-namespaces"], context);
  }
  if (failure !== undefined) throw new Errors([failure]);
}

async function sayNothingFound(isNamespaced: boolean, context: Context): Promise<void> {
  const { namespace } = await context.cluster.namespace();
  context.err.write(
    isNamespaced ? `No resources found in ${namespace} namespace.\n` : "No resources found\n",
  );
}

function hasSeveralKinds(infos: readonly ResourceInfo[]): boolean {
  const [first] = infos;
  return first !== undefined && infos.some(({ mapping }) => !sameKind(mapping, first.mapping));
}

function sameKind(a: Mapping, b: Mapping): boolean {
  return a.kind === b.kind && a.group === b.group && a.version === b.version;
}
