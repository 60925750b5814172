import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Replayed, replayAdmission, startAdmissionTarget } from "./admission-server.ts";
import type { Area } from "./case.ts";
import { admissionConfiguredArea, alwaysAdmitPluginArea } from "./cases/admission-configured.ts";
import { admissionPermissionsArea } from "./cases/admission-permissions.ts";
import { authenticationArea } from "./cases/authentication.ts";
import {
  abacArea,
  alwaysAllowArea,
  alwaysDenyArea,
  configuredAuthorizersArea,
  webhookAuthorizerArea,
} from "./cases/authorizers.ts";
import { startOwn, type Target } from "./reference.ts";
import { surroundedBy } from "./surrounded.ts";

/** The gates of a server of its own, with the flags and surroundings that the real one was recorded with. */

/** Areas with time limits: their server has a clock that stands still. */
const timed = [admissionConfiguredArea];

for (const area of [
  authenticationArea,
  abacArea,
  webhookAuthorizerArea,
  configuredAuthorizersArea,
  alwaysAllowArea,
  alwaysDenyArea,
  admissionPermissionsArea,
  alwaysAdmitPluginArea,
  admissionConfiguredArea,
]) {
  describe(`${area.name} as kube-apiserver`, () => {
    const stack = new AsyncDisposableStack();
    let replayed: readonly Replayed[];
    before(async () => {
      const target = await open(area, stack);
      replayed = await replayAdmission(target, area);
    });
    after(() => stack.disposeAsync());
    for (const { name } of area.cases) {
      test(name, () => {
        const found = replayed.find((one) => one.name === name);
        assert.deepEqual(timeless(found?.answered), timeless(found?.recorded));
      });
    }
  });
}

/** Times are those of the machine's clock, in both servers. */
const timeless = (answers: Replayed["answered"] | undefined): unknown =>
  JSON.parse(JSON.stringify(answers ?? null).replaceAll(/2000-01-01T00:\d\d:\d\dZ/g, "{time}"));

async function open(area: Area, stack: AsyncDisposableStack): Promise<Target> {
  const surroundings = stack.use((await area.surround?.()) ?? null);
  const flags = [...(area.flags ?? []), ...(surroundings?.flags ?? [])];
  const start = timed.includes(area) ? startAdmissionTarget : startOwn;
  const target = stack.use(await start(flags));
  return surroundings ? surroundedBy(target, surroundings) : target;
}
