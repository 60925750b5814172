import { stat } from "node:fs/promises";
import type { Socket } from "node:net";
import { peerUser } from "#/std/net/peer-user.ts";
import { RegistryError } from "../model/registry-error.ts";

const root = 0;
/** Number of looks: the kernel's list may lack a socket while others come and go. */
const tries = 3;

/**
 * The users of the machine who may use the registry: what they push runs in the cluster. Root, and the owners of files,
 * such as kubeconfigs of administrators.
 */
export class AllowedUsers {
  readonly #files: readonly string[];
  /** By connection: it has one user for its whole life. */
  readonly #known = new WeakMap<Socket, Promise<boolean>>();

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  /** Rejects unless a connection is one of an allowed user. */
  async check(socket: Socket, netns: string): Promise<void> {
    const known = this.#known.get(socket) ?? this.#isAllowed(socket, netns);
    this.#known.set(socket, known);
    if (await known) return;
    throw new RegistryError(
      "DENIED",
      "this registry is for root, and for users of this machine who have the cluster's kubeconfig",
    );
  }

  async #isAllowed(socket: Socket, netns: string): Promise<boolean> {
    let user: number | undefined;
    for (let count = 0; user === undefined && count < tries && !socket.destroyed; count++) {
      user = await peerUser(socket, netns).catch(() => undefined);
    }
    if (user === undefined || user === root) return user === root;
    const owners = this.#files.map((file) => stat(file).then(({ uid }) => uid));
    return (await Promise.allSettled(owners)).some(
      (found) => found.status === "fulfilled" && found.value === user,
    );
  }
}
