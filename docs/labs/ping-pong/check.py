"""What must hold in the lab ping-pong."""

import asyncio

from formicary import Agent, CyclicBehaviour, Template
from formicary_bench.labs import Stage, scenario


@scenario("each question is answered", exercise=1)
async def answered(stage: Stage):
    """Ping asks ten questions in one container, and each gets an answer with its own body."""
    c1 = await stage.container("c1")
    await stage.start(c1, "Pong", "pong")
    ping = await stage.start(c1, "Ping", "ping", "pong", 10)
    await stage.ended(ping, 60)
    expect_answers(stage, ping, 10)


@scenario("only requests are answered", exercise=1)
async def only_requests(stage: Stage):
    """Two Pongs do not answer each other's answers: the talk ends when the question is answered."""
    c1 = await stage.container("c1")
    await stage.start(c1, "Pong", "left")
    await stage.start(c1, "Pong", "right")
    ping = await stage.start(c1, "Ping", "ping", "left", 1)
    await stage.ended(ping, 60)
    kinds = {arrow.performative for arrow in stage.recorder.arrows if arrow.sender == "left"}
    stage.expect("request" not in kinds, "Pong's answer is a request, which asks for an answer itself")


@scenario("an answer comes late", exercise=2)
async def late(stage: Stage):
    """The first answers take 1.4 s, so there is None for them; the later ones are not taken for others."""
    c1, c2 = await stage.container("c1"), await stage.container("c2")
    await c2.start(Parrot("pong"))
    stage.network.delay = 0.7
    ping = await stage.start(c1, "Ping", "ping", "pong@c2", 8)
    await asyncio.sleep(2.5)
    stage.network.delay = 0.1
    await stage.ended(ping, 60)
    answers = list(ping.answers)
    stage.expect(len(answers) == 8, f"Ping has {len(answers)} answers to 8 questions: {answers}")
    for number, answer in enumerate(answers):
        stage.expect(
            answer in {None, str(number)},
            f"Ping has taken {answer!r} for the answer to question {number}: it was the late one to another",
        )
    stage.expect(answers[-1] == "7", "Ping has no answer to the last question, though it came in 0.2 s")
    stage.expect(answers[0] is None, "Ping has waited for the first answer for more than one second")


@scenario("the partner crashes", exercise=2)
async def crashed(stage: Stage):
    """Pong's container crashes in the middle: Ping goes on to its end, with None for what nobody answered."""
    c1, c2 = await stage.container("c1"), await stage.container("c2")
    await c2.start(Parrot("pong"))
    stage.network.delay = 0.1
    ping = await stage.start(c1, "Ping", "ping", "pong@c2", 6)
    await asyncio.sleep(0.55)
    await stage.crash(c2)
    await stage.ended(ping, 60)
    stage.expect(
        list(ping.answers) == ["0", "1", None, None, None, None],
        f"Pong has answered 0 and 1 and then crashed, and Ping's answers are {ping.answers}",
    )


@scenario("several questions at once", exercise=3)
async def at_once(stage: Stage):
    """Rush has 4 questions on their way, never more and soon no fewer; its answers are in their order."""
    c1, c2 = await stage.container("c1"), await stage.container("c2")
    parrot = Parrot("pong", longest=0.4, chance=stage.random)
    await c2.start(parrot)
    rush = await stage.start(c1, "Rush", "rush", "pong@c2", 20, 4)
    await stage.ended(rush, 60)
    stage.expect(
        parrot.most_open <= 4, f"Rush had {parrot.most_open} questions open at once; its window is 4"
    )
    stage.expect(parrot.most_open == 4, f"Rush had only {parrot.most_open} questions open; its window is 4")
    expect_answers(stage, rush, 20)


@scenario("the window moves on", exercise=3)
async def moves_on(stage: Stage):
    """One slow answer does not hold up the questions after it: 20 of them take less than 1.5 s."""
    c1, c2 = await stage.container("c1"), await stage.container("c2")
    await c2.start(Parrot("pong", slow="3", longest=0.2))
    began = asyncio.get_running_loop().time()
    rush = await stage.start(c1, "Rush", "rush", "pong@c2", 20, 4)
    await stage.ended(rush, 60)
    took = asyncio.get_running_loop().time() - began
    expect_answers(stage, rush, 20)
    stage.expect(took < 1.5, f"20 questions took {took:.1f} s, as the others waited for the slow one")


def expect_answers(stage, agent, count):
    """Each question has its own answer."""
    wanted = [str(number) for number in range(count)]
    answers = list(agent.answers)
    kind = type(agent).__name__
    if None in answers:
        sentence = f"{kind} has no answer to question {answers.index(None)}, though Pong had time to answer"
    elif sorted(map(str, answers)) == sorted(wanted):
        sentence = f"{kind}'s answers are not in the order of the questions: {', '.join(answers)}"
    else:
        sentence = f"{kind} should have the answers {', '.join(wanted)}, and has {answers}"
    stage.expect(answers == wanted, sentence)


class Parrot(Agent):
    """Answers as Pong should, after a while, and counts how many questions are open."""

    def __init__(self, name, longest=0.0, chance=None, slow=None):
        super().__init__(name)
        self.longest = longest
        self.chance = chance
        self.slow = slow
        self.open = self.most_open = 0

    async def setup(self):
        self.add_behaviour(Repeat(), Template(performative="request"))

    async def on_question(self, behaviour, message):
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        share = self.chance.random() if self.chance else 1
        await asyncio.sleep(0.9 if message.body == self.slow else share * self.longest)
        self.open -= 1
        await behaviour.reply(message, body=message.body)


class Repeat(CyclicBehaviour):
    async def on_start(self):
        self.tasks = set()

    async def run(self):
        message = await self.receive()
        task = asyncio.create_task(self.agent.on_question(self, message))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
