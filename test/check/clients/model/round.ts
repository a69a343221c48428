// One round through all that a server has, as a thorough user of a client makes it.
import { Refusal } from './answers.ts';
import { type Body, list, members, pause } from './hands.ts';
import { isSound } from './marks.ts';
import type { Model } from './model.ts';

export async function visitAll(model: Model): Promise<void> {
  await model.connect();
  await attempt(async () => {
    model.tools = await listed(model, 'tools');
  }, model);
  await icons(model);
  for (const tool of model.tools) await attempt(() => called(model, tool), model);
  const resources = (await attempt(() => listed(model, 'resources'), model)) ?? [];
  for (const { uri } of resources) await attempt(() => model.request('resources/read', { uri }), model);
  const prompts =
    model.capabilityOf('prompts') === undefined && !model.isModern ? [] : ((await attempt(() => listed(model, 'prompts'), model)) ?? []);
  for (const { name } of prompts) await attempt(() => model.request('prompts/get', { name }), model);
  if (model.capabilityOf('tasks', 'list') !== undefined) await attempt(() => listed(model, 'tasks'), model);
  await model.close();
}

async function attempt<T>(work: () => Promise<T>, model: Model): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    if (await model.revive()) return await work().catch(() => undefined);
    return undefined;
  }
}

async function listed(model: Model, member: string): Promise<readonly Body[]> {
  const { habits } = model;
  const found: Body[] = [];
  let cursor: unknown;
  let size = 0;
  for (let isOver = false, tries = 0; !isOver; ) {
    let page: Body;
    try {
      page = await model.request(`${member}/list`, cursor === undefined ? {} : { cursor });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== -32602 || cursor === undefined || tries > 0) throw error;
      tries += 1;
      if (!habits.restartsList) continue;
      found.length = 0;
      cursor = undefined;
      continue;
    }
    const type = page['resultType'];
    if (type !== undefined && type !== 'complete' && !habits.readsUnknownResults) throw new Error(`a result of the type ${String(type)}`);
    const items = list(page[member]).map(members);
    found.push(...items);
    const next = page['nextCursor'];
    if (next === undefined && habits.asksLastPageAgain && cursor !== undefined) {
      await pause(10);
      await model.request(`${member}/list`, { cursor });
    }
    isOver =
      next === undefined ||
      !habits.readsPages ||
      (next === '' && habits.stopsAtEmptyCursor) ||
      (habits.stopsAtEmptyPage && items.length < size);
    size = items.length;
    cursor = next;
  }
  return found.filter((one) => member !== 'tools' || !habits.leavesToolsOut || isSound(one));
}

async function called(model: Model, tool: Body): Promise<void> {
  const { habits } = model;
  const schema = JSON.stringify([tool['inputSchema'], tool['outputSchema']]);
  if (habits.fetchesRefs) for (const [, address] of schema.matchAll(/"\$ref":"(http[^"]+)"/g)) await model.get(address ?? '');
  if (habits.hangsOnDepth && schema.length > 20_000) await new Promise(() => undefined);
  const { name } = tool;
  const params = { name, arguments: model.examplesOf(tool) };
  const support = members(tool['execution'])['taskSupport'];
  const offers = model.capabilityOf('tasks', 'requests', 'tools', 'call') !== undefined;
  const isTask = habits.asTask === 'always' || (habits.asTask === 'as told' && offers && support === 'required');
  if (isTask) return asTask(model, params);
  try {
    const answer = model.request('tools/call', params, { token: `token-${String(name)}` });
    if (habits.polls && name === 'takes_its_time')
      for (let times = 0; times < 5; times += 1) await Promise.all([model.request('resources/list', {}), pause(50)]);
    await finished(model, params, await answer);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== -32020 || !habits.refreshesTools) throw error;
    model.tools = await listed(model, 'tools');
    await model.request('tools/call', params);
  }
}

/** Until nothing more is asked. */
async function finished(model: Model, params: Body, first: Body): Promise<void> {
  let result = first;
  if (result['resultType'] === undefined && model.isModern && model.habits.repeatsOlderResults) await model.request('tools/call', params);
  for (let round = 0; result['resultType'] === 'input_required' && round < 5; round += 1) {
    const { inputRequests, requestState } = result;
    const inputResponses = inputRequests === undefined ? undefined : await model.inputs(members(inputRequests));
    result = await model.request('tools/call', {
      ...params,
      ...(inputResponses !== undefined && { inputResponses }),
      ...(requestState !== undefined && { requestState }),
    });
  }
}

async function asTask(model: Model, params: Body): Promise<void> {
  const { habits } = model;
  const { task } = await model.request('tools/call', { ...params, task: { ttl: 60_000 } });
  const { taskId, pollInterval } = members(task);
  for (let polls = 0; polls < 8; polls += 1) {
    if (!habits.pollsAtOnce) await pause(Number(pollInterval ?? 50));
    const { status } = await model.request('tasks/get', { taskId });
    if (habits.stopsPolling) return;
    if (habits.trustsNotices && polls > 0) return;
    if (status === 'working') continue;
    if (status === 'input_required' && !habits.asksResultOnInput) continue;
    await model.request('tasks/result', { taskId });
    break;
  }
}

async function icons(model: Model): Promise<void> {
  const { habits } = model;
  const sources = model.tools.flatMap((tool) => list(tool['icons']).map((icon) => String(members(icon)['src'])));
  const own = new URL(sources[0] ?? 'http://nowhere.invalid');
  for (const source of habits.fetchesIcons ? sources : []) {
    if (!URL.canParse(source)) continue;
    const { protocol, origin } = new URL(source);
    if (protocol !== 'http:' || (origin !== own.origin && !habits.iconsAnywhere)) continue;
    await model.get(source, habits.iconCookie ? { cookie: 'session=1' } : {});
  }
}
