// The TypeScript SDK.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const about = JSON.parse(process.argv[2]);
const installed = createRequire(`${about.modules}/`);
const load = (name) => import(pathToFileURL(installed.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)));
const { Client } = await load("index");
const { StdioClientTransport } = await load("stdio");

const client = new Client({ name: "typescript", version: "1" });
const { command, args, env } = about;
await client.connect(new StdioClientTransport({ command, args, env }));
const options = about.patience ? { timeout: about.patience * 1000 } : {};
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, arguments: given } = JSON.parse(line);
  try {
    const result = await client.callTool({ name: tool, arguments: given }, undefined, options);
    const texts = result.content.filter((one) => one.type === "text").map((one) => one.text);
    const pictures = result.content.filter((one) => one.type === "image").length;
    say({ text: texts.join("\n"), pictures, failed: Boolean(result.isError) });
  } catch (error) {
    say({ text: String(error), pictures: 0, failed: true });
  }
}
await client.close();
