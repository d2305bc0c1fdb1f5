"""What must hold in the lab ping-pong."""

import asyncio

from formicary import Agent, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import NoAnswerError
from formicary_bench.labs import Stage, scenario


@scenario("each question is answered", exercise=1)
async def answered(stage: Stage):
    """Ping asks Pong ten questions, which are different each time; each gets an answer with its own body."""
    c1 = await stage.container("c1")
    await stage.start("c2", "Pong", "pong")
    questions = [word(stage) for _ in range(10)]
    for number, question in enumerate(questions):
        try:
            answer = await c1.ask(Message(to="pong@c2", performative="request", body=question), timeout=1)
        except NoAnswerError:
            answer = None
        stage.expect(answer, f"Ping has no answer to question {number}, though Pong had time to answer")
        stage.expect(
            answer.body == question, f"the answer to {question!r} is {answer.body!r}; it should be the same"
        )
        kind = answer.performative
        stage.expect(kind != "request", "Pong's answer is a request, which asks for an answer itself")


@scenario("only requests are answered", exercise=1)
async def only_requests(stage: Stage):
    """Two Pongs do not answer each other's answers: a Pong says nothing to what is no request."""
    stage.network.delay = 0.1
    c1 = await stage.container("c1")
    await stage.start("c2", "Pong", "left")
    await stage.start("c3", "Pong", "right")
    await c1.start(asker := Agent("ping"))
    kinds = ["inform", "request", None, "query-ref", "agree"]
    stage.random.shuffle(kinds)
    asker.add_behaviour(Say([Message(to="left@c2", performative=kind, body=word(stage)) for kind in kinds]))
    asker.add_behaviour(
        Say([Message(to="left@c2", reply_to="right@c3", performative="request", body=word(stage))])
    )
    await asyncio.sleep(5)
    left, right = (
        [arrow for arrow in stage.recorder.arrows if arrow.sender == name] for name in ("left", "right")
    )
    stage.expect(len(left) > 1, "Pong has not answered a request")
    more = len(left) - 2 + len(right)
    stage.expect(
        not more,
        f"Pong has sent {more} messages more than there were requests: "
        "two of them would answer each other for ever",
    )


@scenario("an answer comes late", exercise=2)
async def late(stage: Stage):
    """Some answers take 1.4 s, so there is None for them; the others are not taken for those of others."""
    c2 = await stage.container("c2")
    slow = {str(number) for number in stage.random.sample(range(1, 7), 2)} | {"0"}
    await c2.start(Parrot("pong", slow=slow, longest=0.2, slowest=1.3))
    stage.network.delay = 0.05
    ping = await stage.start("c1", "Ping", "ping", "pong@c2", 8)
    await stage.ended(ping, 60)
    answers = list(ping.answers)
    stage.expect(len(answers) == 8, f"Ping has {len(answers)} answers to 8 questions: {answers}")
    for number, answer in enumerate(answers):
        stage.expect(
            answer in {None, str(number)},
            f"Ping has taken {answer!r} for the answer to question {number}: it was the late one to another",
        )
    stage.expect(answers[-1] == "7", "Ping has no answer to the last question, though it came in 0.3 s")
    stage.expect(answers[0] is None, "Ping has waited for the first answer for more than one second")
    wanted = [None if str(number) in slow else str(number) for number in range(8)]
    stage.expect(answers == wanted, f"Ping's answers are {answers}; in time were {wanted}")
    expect_asked(stage, "ping", 8)


@scenario("the partner crashes", exercise=2)
async def crashed(stage: Stage):
    """Pong's container crashes in the middle: Ping goes on to its end, with None for what nobody answered."""
    c2 = await stage.container("c2")
    await c2.start(Parrot("pong"))
    stage.network.delay = 0.1
    known = stage.random.randint(2, 9)
    ping = await stage.start("c1", "Ping", "ping", "pong@c2", 12)
    await asyncio.sleep(0.2 * known + 0.15)
    await stage.crash(c2)
    await stage.ended(ping, 60)
    stage.expect(
        list(ping.answers) == [*map(str, range(known)), *[None] * (12 - known)],
        f"Pong has answered 0 to {known - 1} and then crashed, and Ping's answers are {ping.answers}",
    )
    expect_asked(stage, "ping", known)


@scenario("several questions at once", exercise=3)
async def at_once(stage: Stage):
    """Rush has some questions on their way, never more and soon no fewer; its answers are in their order."""
    c2 = await stage.container("c2")
    window = stage.random.randint(3, 6)
    parrot = Parrot("pong", longest=0.4, chance=stage.random)
    await c2.start(parrot)
    rush = await stage.start("c1", "Rush", "rush", "pong@c2", 20, window)
    await stage.ended(rush, 60)
    most = parrot.most_open
    stage.expect(most <= window, f"Rush had {most} questions open at once; its window is {window}")
    stage.expect(most == window, f"Rush had only {most} questions open; its window is {window}")
    expect_answers(stage, rush, 20)
    expect_asked(stage, "rush", 20)


@scenario("the window moves on", exercise=3)
async def moves_on(stage: Stage):
    """One slow answer does not hold up the questions after it, and one that is too late is None."""
    c2 = await stage.container("c2")
    slow, never = map(str, stage.random.sample(range(2, 15), 2))
    await c2.start(Parrot("pong", slow={slow}, longest=0.2, slowest=0.9, never=never))
    began = asyncio.get_running_loop().time()
    rush = await stage.start("c1", "Rush", "rush", "pong@c2", 20, 4)
    await stage.ended(rush, 60)
    took = asyncio.get_running_loop().time() - began
    expect_answers(stage, rush, 20, never)
    stage.expect(took < 2.5, f"20 questions took {took:.1f} s, as the others waited for the slow one")
    expect_asked(stage, "rush", 20)


def word(stage):
    """Something that cannot be guessed."""
    return f"{stage.random.choice(['leaf', 'twig', 'moss', 'bark'])} {stage.random.randrange(10**6)}"


def expect_asked(stage, name, count):
    """Each question was really asked."""
    bodies = {
        arrow.body
        for arrow in stage.recorder.arrows
        if arrow.sender == name and arrow.performative == "request" and arrow.arrived is not None
    }
    missing = [str(number) for number in range(count) if str(number) not in bodies]
    stage.expect(not missing, f"Pong was never asked {', '.join(missing)} by a request")


def expect_answers(stage, agent, count, never=None):
    """Each question has its own answer, but one that nobody answers."""
    wanted = [None if str(number) == never else str(number) for number in range(count)]
    answers = list(agent.answers)
    missing = [number for number, answer in enumerate(answers) if answer is None and str(number) != never]
    kind = agent.kind
    if missing:
        sentence = f"{kind} has no answer to question {missing[0]}, though Pong had time to answer"
    elif sorted(map(str, answers)) == sorted(map(str, wanted)):
        sentence = f"{kind}'s answers are not in the order of the questions: {', '.join(map(str, answers))}"
    else:
        sentence = f"{kind} should have the answers {', '.join(map(str, wanted))}, and has {answers}"
    stage.expect(answers == wanted, sentence)


class Parrot(Agent):
    """Answers as Pong should, after a while, and counts how many questions are open."""

    def __init__(self, name, *, longest=0.0, chance=None, slow=(), slowest=0.9, never=None):
        super().__init__(name)
        self.longest = longest
        self.chance = chance
        self.slow = slow
        self.slowest = slowest
        self.never = never
        self.open = self.most_open = 0

    async def setup(self):
        self.add_behaviour(Repeat(), Template(performative="request"))

    async def on_question(self, behaviour, message):
        if message.body == self.never:
            return
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        share = self.chance.random() if self.chance else 1
        await asyncio.sleep(self.slowest if message.body in self.slow else share * self.longest)
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


class Say(OneShotBehaviour):
    """Says something, and hears nothing."""

    def __init__(self, messages):
        super().__init__()
        self.messages = messages

    async def run(self):
        for message in self.messages:
            await self.send(message)
