import { ProgramError, type RunProgram } from "#/std/process/run-program.ts";
import { type Direction, directions, type Protocol, protocols } from "../model/policy.ts";
import { deniedSet, tableName } from "../plan/names.ts";

/** A connection that the kernel has denied. */
export interface DeniedConnection {
  readonly direction: Direction;
  readonly client: string;
  readonly server: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly packets: number;
}

/** What `nft -j list set` prints; only what is read here. */
interface Listed {
  readonly nftables: readonly {
    readonly set?: {
      readonly elem?: readonly {
        readonly elem?: {
          readonly val?: { readonly concat?: readonly unknown[] };
          readonly counter?: { readonly packets?: number };
        };
      }[];
    };
  }[];
}

/** Reads the connections that were denied lately. */
export async function readDenied(run: RunProgram): Promise<DeniedConnection[]> {
  const found: DeniedConnection[] = [];
  for (const direction of directions) {
    for (const family of [4, 6] as const) {
      const set = deniedSet(direction, family);
      const list = ["-j", "list", "set", ...tableName.split(" "), set];
      const json = await run("nft", list).catch((error: unknown) => {
        // The table is not there yet, or was removed: its keeper restores it.
        if (error instanceof ProgramError && /No such file/.test(error.stderr)) return undefined;
        throw error;
      });
      if (json !== undefined) found.push(...parseDenied(direction, json));
    }
  }
  return found;
}

function parseDenied(direction: Direction, json: string): DeniedConnection[] {
  const { nftables } = JSON.parse(json) as Listed;
  return nftables
    .flatMap(({ set }) => set?.elem ?? [])
    .flatMap(({ elem }) => {
      const [client, server, name, port] = elem?.val?.concat ?? [];
      const protocol = protocols.find((one) => one.toLowerCase() === name);
      if (typeof client !== "string" || typeof server !== "string" || !protocol) return [];
      const packets = elem?.counter?.packets ?? 0;
      return [{ direction, client, server, protocol, port: Number(port), packets }];
    });
}
