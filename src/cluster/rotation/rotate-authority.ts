import { hostname } from "node:os";
import { systemClock } from "#/std/time/clock.ts";
import { certificateSpecs } from "../access/certificates.ts";
import { type Authority, ensurePki } from "../access/pki.ts";
import { renewUserAccess } from "../access/user-access.ts";
import type { Operation } from "../base/operation.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { getSettings } from "../base/settings.ts";
import { forgetOthers, makeNext, signWithNext, trustNext } from "./authority-files.ts";
import { publishAuthorities, untilFollowed } from "./publish-authorities.ts";
import { betweenServers, type SharingState, shareKeys } from "./share-keys.ts";

/** How long aggregated servers have to follow a change of what they trust (ms): they watch it. */
const aggregatedMs = 5_000;

interface State extends SharingState {
  readonly without: readonly string[];
}

/**
 * Replaces an authority while the cluster runs: both are trusted everywhere before the new one signs, and everything is
 * signed by the new one before the old one goes.
 */
export const rotateAuthority = (authority: Authority): Operation<State> => ({
  name: `certificate rotate ${authority}`,
  resumes: "after start",
  steps: betweenServers(authority, (paths) => [
    {
      name: `${authority}: both authorities are trusted`,
      async run({ without }) {
        await makeNext(paths.pki, authority, systemClock.now());
        await trustNext(paths.pki, authority);
        await settle(paths, authority, without);
        if (authority === "front-proxy-ca") await systemClock.sleep(aggregatedMs);
      },
    },
    {
      name: `${authority}: the new one signs, and all certificates are issued again`,
      async run({ without }) {
        await signWithNext(paths.pki, authority);
        await settle(paths, authority, without);
        if (authority === "front-proxy-ca") await systemClock.sleep(aggregatedMs);
      },
    },
    {
      name: `${authority}: the old one goes`,
      async run({ without }) {
        await forgetOthers(paths.pki, authority);
        await settle(paths, authority, without);
      },
    },
  ]),
});

/** Everything that depends on the authorities is made and published as they are now; all servers and nodes have followed. */
async function settle(
  paths: ClusterPaths,
  authority: Authority,
  without: readonly string[],
): Promise<void> {
  const settings = getSettings(paths);
  await ensurePki(paths.pki, certificateSpecs(settings, hostname()), systemClock.now());
  await renewUserAccess(paths, settings);
  await shareKeys(paths, authority, { without });
  await publishAuthorities(paths, settings);
  await untilFollowed(paths, settings, without);
}
