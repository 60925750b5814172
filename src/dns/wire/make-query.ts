/** A query for one name, as sent to other servers. */
export function makeQuery(name: string, type: number): Buffer {
  const labels = name === "" ? [] : name.split(".");
  const parts = labels.map((label) => {
    return Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")]);
  });
  const header = Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const end = Buffer.from([0, type >> 8, type & 255, 0, 1]);
  return Buffer.concat([header, ...parts, end]);
}
