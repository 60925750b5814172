import { type Lease, leases } from "#/api/coordination/v1.ts";
import { isTermOf, parseTerm, termHeader } from "#/client/leader-term.ts";
import { badRequest, conflict } from "#/machinery/meta/status-error.ts";
import type { Registry } from "../../registry/registry.ts";
import type { StoredObject } from "../../registry/stored-object.ts";
import type { WriteTerm } from "../../registry/terms/write-in-term.ts";

/** The term of a leader that the header of a request names. */
export function leaderTerm(header: string, registry: Pick<Registry, "store">): WriteTerm {
  const term = parseTerm(header);
  if (!term) throw badRequest(`invalid header ${termHeader}: ${JSON.stringify(header)}`);
  const { namespace, name } = term;
  const store = registry.store(leases);
  const find = (): StoredObject | undefined => {
    const found = store.findCached(namespace, name);
    return found && isTermOf(term, found.parsed() as Lease) ? found : undefined;
  };
  return {
    name: `the lease ${namespace}/${name}`,
    async guard() {
      let found = find();
      if (!found) {
        // Another API server may have written it a moment ago.
        await store.freshen();
        found = find();
      }
      if (found) return { key: found.key, modRevision: found.revision };
      throw conflict(leases, name, "the term in which the write was sent has ended");
    },
    waitUntil: async (revision) => await store.waitUntil(revision),
  };
}
