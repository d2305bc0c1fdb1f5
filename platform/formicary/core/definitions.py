"""Checks classes of agents and behaviours for beginners' mistakes.

Each class is checked once, when its first object is used, or again if it was refused.
"""
# ruff: noqa: SLF001 -- it inspects classes

from __future__ import annotations

import inspect
import textwrap
from types import FunctionType, MemberDescriptorType, NoneType
from typing import TYPE_CHECKING

from formicary.core.base_agent import AgentState, BaseAgent
from formicary.core.behaviour import Behaviour
from formicary.core.errors import DefinitionError
from formicary.core.mailbox import Mailbox
from formicary.core.reserved import reserved_error
from formicary.core.strand import PROGRAM_EXITS
from formicary.core.template import Template

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.core.message import Message

_PLATFORM = "formicary."
# Types of the platform's attributes that users might overwrite; None before they are set.
_SLOTS: dict[str, tuple[type, ...]] = {
    "mailbox": (Mailbox, NoneType),
    "micro_inbox": (NoneType,),
    "strand_phase": (int, NoneType),
    "_name": (str,),
    "_address": (NoneType,),
    "_state": (AgentState,),
    "_behaviours": (tuple, NoneType),
    "_ended": (tuple, NoneType),
    "_knowledge": (dict, NoneType),
}
# Methods of agents and behaviours that only the platform calls, so no class may override them.
_INTERNAL = frozenset({
    "abandon", "add_unwanted", "become_active", "become_gone", "behaviour_ended", "behaviours_wanting",
    "can_proceed", "carry_machine", "check_transition", "deliver_message", "end_at_once", "ended_elsewhere",
    "enter_container", "give_back", "handling_strands", "is_ending", "is_held", "leave_container",
    "leave_strand", "main_coroutine", "message_entrance", "record_failure", "refuse_returned", "resume_in",
    "start_strand", "strand_ended", "strand_name", "strand_time_left", "strand_waits", "unreceived",
    "visit_state",
})  # fmt: skip
_UNWRITTEN = {"Behaviour.run", "ThreadBehaviour.run"}
_GENERATES = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def check_behaviour(given: object, is_state: bool = False) -> None:  # noqa: FBT001, FBT002 -- only for machines
    """Check a behaviour or a machine's state, and its class.

    Raises:
        DefinitionError: it is of another type, or its class is not valid.
    """
    what, call = ("a state", "add_state('red', {})") if is_state else ("a behaviour", "add_behaviour({})")
    if not isinstance(given, Behaviour) or given._stands_alone is is_state:
        raise DefinitionError(_no_behaviour(given, what, call))
    kind = type(given)
    if not hasattr(given, "mailbox"):
        raise not_initialised(given)
    if getattr(kind.run, "__qualname__", "") in _UNWRITTEN and "run" not in getattr(given, "__dict__", ()):
        how = "define a class with" if kind.__module__.startswith(_PLATFORM) else "write"
        plain = "" if "run" in kind._plain_methods else "async "
        raise DefinitionError(f"{kind.__name__} has no run(): {how} `{plain}def run(self)`")
    if isinstance(kind.__dict__.get("template"), Template):
        raise DefinitionError(
            f"{kind.__name__} has a template in its class body, where it has no effect: set "
            "self.template = ... after super().__init__(), or pass it to add_behaviour()"
        )
    _check_methods(kind)
    _check_attributes(given)
    for name in kind._plain_methods:
        if inspect.iscoroutinefunction(getattr(kind, name)):
            raise DefinitionError(
                f"{kind.__name__}.{name}() is asynchronous, but runs in a thread: write `def {name}(self)`, "
                "without any await in it"
            )
    kind._checked_behaviour = kind


def _no_behaviour(given: object, what: str, call: str) -> str:
    name = call.partition("(")[0]
    if isinstance(given, type) and issubclass(given, Behaviour):
        arguments = "..." if _arguments(given) else ""
        return f"{name}() takes {what}, not its class: write {call.format(f'{given.__name__}({arguments})')}"
    kind = type(given).__name__
    if isinstance(given, Behaviour) and not given._stands_alone:
        return (
            f"{kind} is a state, which runs inside a machine: write "
            f"FSMBehaviour().add_state({kind.lower()!r}, {kind}())"
        )
    base = "State" if what == "a state" else "OneShotBehaviour"
    return f"{name}() takes {what}, not {kind}: define a subclass of {base} with `async def run(self)`"


def check_agent(given: object) -> None:
    """Check an agent, and its class.

    Raises:
        DefinitionError: it is of another type, or its class is not valid.
    """
    if isinstance(given, type) and issubclass(given, BaseAgent):
        name = given.__name__
        raise DefinitionError(f"start() takes an agent, not its class: write start({name}({name.lower()!r}))")
    if not isinstance(given, BaseAgent):
        raise DefinitionError(
            f"start() takes an agent, not {type(given).__name__}: create an agent, and call its "
            "add_behaviour() with this"
            if isinstance(given, Behaviour)
            else f"start() takes an agent, not {type(given).__name__}"
        )
    if not hasattr(given, "address"):
        raise not_initialised(given)
    kind = type(given)
    _check_methods(kind)
    _check_attributes(given)
    kind._checked_agent = kind


def _check_attributes(given: BaseAgent | Behaviour) -> None:
    """Refuse attributes that overwrite the platform's.

    Raises:
        DefinitionError: there is one.
    """
    kinds = type(given).__mro__
    own = next(index for index, kind in enumerate(kinds) if kind.__module__.startswith(_PLATFORM))
    for names in (getattr(given, "__dict__", {}), *map(vars, kinds[:own])):
        for name, value in names.items():
            ours = inspect.getattr_static(kinds[own], name, None)
            if isinstance(ours, FunctionType | classmethod):
                fits = callable(value) or hasattr(value, "__get__") or name.startswith("__")
            else:
                fits = not isinstance(ours, property) or hasattr(value, "__get__")
            if not fits or (ours is not None and name in _INTERNAL):
                raise reserved_error(given, name, value)
    for name, fitting in _SLOTS.items():
        is_ours = isinstance(inspect.getattr_static(kinds[own], name, None), MemberDescriptorType)
        if is_ours and not isinstance(value := getattr(given, name, None), fitting):
            raise reserved_error(given, name, value)


def not_initialised(given: object) -> DefinitionError:
    """Return the error of an object whose class does not call `super().__init__`."""
    kind = type(given)
    return DefinitionError(
        f"{kind.__name__}.__init__() does not call super().__init__({', '.join(_arguments(kind))}): "
        "make that its first line"
    )


def _arguments(kind: type) -> list[str]:
    """Return the required arguments of the platform's class from which a class is derived."""
    own = next(each for each in kind.__mro__ if each.__module__.startswith(_PLATFORM))
    parameters = list(inspect.signature(own.__init__).parameters.values())[1:]  # type: ignore[misc]  # of its class
    return [each.name for each in parameters if each.default is each.empty]


# -- methods -------------------------------------------------------------------------------------------------


def _check_methods(kind: type[BaseAgent | Behaviour]) -> None:
    """Refuse plain functions where methods are awaited, unless they may return an awaitable."""
    for name in kind._awaited_methods:
        method = getattr(kind, name, None)
        code = getattr(method, "__code__", None)
        if method is None or (callable(method) and code is None) or inspect.iscoroutinefunction(method):
            continue
        where = f"{kind.__name__}.{name}"
        if code is None:
            raise DefinitionError(
                f"{where} is {type(method).__name__}, and no function: write `async def {name}(self)`"
            )
        if code.co_flags & _GENERATES and not code.co_flags & inspect.CO_ITERABLE_COROUTINE:
            raise DefinitionError(f"{where}() contains a `yield`, so it cannot be awaited: remove it")
        if _returns_nothing(method):
            raise DefinitionError(
                f"{where}() is a plain function, which cannot be awaited: write `async def {name}(self)`"
            )


def _returns_nothing(function: FunctionType) -> bool:
    """Return whether a plain function can only return None, or nothing as it always raises.

    This reads the source, as bytecode differs between versions of Python; without source it returns False.
    """
    import ast

    try:
        lines = inspect.getsource(function.__code__)
        (definition,) = ast.parse(textwrap.dedent(lines)).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return False
    if not isinstance(definition, ast.FunctionDef):
        return False
    inner: list[ast.AST] = [*definition.body]
    for node in inner:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Return) and not (
            node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
        ):
            return False
        inner.extend(ast.iter_child_nodes(node))
    return True


# -- templates -----------------------------------------------------------------------------------------------


def matcher(behaviour: Behaviour) -> Callable[[Message], bool] | None:
    """Return the function that says whether a behaviour wants a message; None if it wants all.

    Raises:
        DefinitionError: its template is not a Template.
    """
    template = behaviour.template
    if template is None:
        return None
    if type(template) is Template:
        return template.match
    if not isinstance(template, Template):
        kind = type(template).__name__
        raise DefinitionError(
            f"a template must be a Template, such as Template(performative='request'), not {kind}"
        )

    def match(message: Message) -> bool:
        # The user's own code, which runs wherever messages are delivered, even in the loop itself.
        try:
            return bool(template.match(message))
        except PROGRAM_EXITS as error:
            behaviour.agent.container.program_exit.request(
                f"{behaviour.mailbox.strand_name()}'s template", error
            )
            return False

    return match
