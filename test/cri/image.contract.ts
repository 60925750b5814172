import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { wholeName } from "#/cluster/runtimes/whole-name.ts";
import { listImages } from "#/kubelet/run.ts";
import { until } from "#/testing/until.ts";
import { webImage } from "../e2e/machine.ts";
import { credentials } from "./registry.ts";
import type { Suite } from "./runtime.contract.ts";

/** Pulls with and without credentials, by tag and digest, through a mirror; the list of images. */
export function imageTests({ node }: Suite): void {
  const pull = (image: string, auth?: object) => node().pull(image, auth);
  const statusOf = async (image: string) =>
    (await node().cri.images.ImageStatus({ image: { image } })).image;

  test("an image that was pulled by its tag has that name, a digest, an id and a size", async () => {
    const { host, digest } = node().registry;
    const { imageRef } = await pull(`${host}/tagged:1`);
    const image = await statusOf(`${host}/tagged:1`);
    assert.ok(image?.repoTags.includes(`${host}/tagged:1`));
    assert.ok(image?.repoDigests.includes(`${host}/tagged@${digest}`), `${image?.repoDigests}`);
    assert.ok(imageRef === image?.id || image?.repoDigests.includes(imageRef), imageRef);
    assert.ok((image?.size ?? 0) > 1e6);
    assert.ok((await statusOf(image?.id ?? "")) !== undefined, "the id finds the image");
    const { images } = await node().cri.images.ListImages({});
    assert.ok(images.some(({ id }) => id === image?.id));
  });

  test("a loaded image has the name that its archive says, as Pods write it", async () => {
    const { runtime } = node();
    for (const [name, whole] of [
      ["loaded:1", "docker.io/library/loaded:1"],
      ["quay.io/shop/loaded:1", "quay.io/shop/loaded:1"],
    ] as const) {
      const archive = join(runtime.directory, "loaded.tar");
      await writeFile(archive, webImage(name));
      const store = await runtime.images();
      await store.load(archive);
      await store.load(archive);
      // containerd's CRI follows its other clients.
      await until(`${name} is found`, () => statusOf(name));
      const listed = await listImages(runtime.endpoint);
      const names = listed.flatMap((image) => image.names);
      assert.equal(names.filter((each) => wholeName(each) === whole).length, 1, `${names}`);
    }
  });

  test("an image is pulled by its digest", async () => {
    const { host, digest } = node().registry;
    await pull(`${host}/by-digest@${digest}`);
    const image = await statusOf(`${host}/by-digest@${digest}`);
    assert.ok(image?.repoDigests.includes(`${host}/by-digest@${digest}`), `${image?.repoDigests}`);
  });

  test("a private image needs the right credentials", async () => {
    const name = `${node().registry.host}/private/web:1`;
    await assert.rejects(pull(name, {}), /401|nauthorized|uthorization|no basic auth/);
    await assert.rejects(
      pull(name, { ...credentials, password: "wrong" }),
      /401|nauthorized|uthorization|denied/,
    );
    await pull(name);
    assert.ok(await statusOf(name));
  });

  test("an image of a mirrored registry comes from the mirror", async () => {
    await pull("docker.io/mirrored/web:1");
    assert.ok(node().registry.asked.has("mirrored/web"));
    assert.ok(await statusOf("docker.io/mirrored/web:1"));
  });

  test("an image that is missing is an error, and has no status", async () => {
    const name = `${node().registry.host}/missing/web:1`;
    await assert.rejects(pull(name), /not found|unknown|404/i);
    assert.equal(await statusOf(name), undefined);
  });

  test("an image is removed, and removing it again is no error", async () => {
    const image = `${node().registry.host}/other/removed:1`;
    await pull(image);
    const { id = "" } = (await statusOf(image)) ?? {};
    await node().cri.images.RemoveImage({ image: { image: id } });
    assert.equal(await statusOf(image), undefined);
    await node().cri.images.RemoveImage({ image: { image: id } });
  });

  test("ImageFsInfo measures the file system of images", async () => {
    // Some runtimes measure at intervals.
    const [found] = await until("images are measured", async () => {
      const { imageFilesystems } = await node().cri.images.ImageFsInfo({});
      return (imageFilesystems[0]?.usedBytes?.value ?? 0) > 0 ? imageFilesystems : undefined;
    });
    assert.ok((found?.fsId?.mountpoint ?? "").startsWith("/"));
  });
}
