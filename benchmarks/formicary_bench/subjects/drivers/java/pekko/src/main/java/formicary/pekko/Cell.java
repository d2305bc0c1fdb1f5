package formicary.pekko;

import java.util.concurrent.ThreadLocalRandom;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/**
 * A cell of a grid, which asks others at random to swap numbers.
 *
 * While it waits for an answer it refuses what it is asked. Who is asked swaps, and asks next; who has asked becomes
 * idle, and who was refused asks another one.
 */
final class Cell extends AbstractBehavior<ToCell> {
    private static final ToCell REFUSE = new ToCell.Refuse();
    private final Grid grid;
    private final int place;
    private boolean busy;

    private Cell(ActorContext<ToCell> context, Grid grid, int place) {
        super(context);
        this.grid = grid;
        this.place = place;
    }

    static Behavior<ToCell> create(Grid grid, int place) {
        return Behaviors.setup(context -> new Cell(context, grid, place));
    }

    @Override
    public Receive<ToCell> createReceive() {
        return newReceiveBuilder()
                .onMessage(ToCell.Request.class, this::requested)
                .onMessage(ToCell.Inform.class, this::informed)
                .onMessage(ToCell.Refuse.class, refuse -> refused())
                .onMessage(ToCell.Start.class, this::begin)
                .build();
    }

    private Behavior<ToCell> begin(ToCell.Start start) {
        if (busy) { // one that has begun before has swapped with it already: when that is over
            getContext().getSelf().tell(start);
            return this;
        }
        busy = true;
        ask();
        return this;
    }

    private Behavior<ToCell> requested(ToCell.Request request) {
        if (busy) {
            request.from().tell(REFUSE);
            return this;
        }
        grid.grant();
        request.from().tell(new ToCell.Inform(grid.number(place)));
        grid.setNumber(place, request.number());
        busy = true;
        ask();
        return this;
    }

    private Behavior<ToCell> informed(ToCell.Inform inform) {
        grid.setNumber(place, inform.number());
        busy = false;
        grid.swapped(place);
        return this;
    }

    private Behavior<ToCell> refused() {
        grid.refused(place);
        ask();
        return this;
    }

    private void ask() {
        if (grid.isOver()) {
            busy = false;
            grid.retire();
            return;
        }
        int other = ThreadLocalRandom.current().nextInt(grid.size() - 1);
        ActorRef<ToCell> chosen = grid.cell(other < place ? other : other + 1);
        chosen.tell(new ToCell.Request(grid.number(place), getContext().getSelf()));
    }
}
