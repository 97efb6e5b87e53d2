# Which lines of the code ran, as the interpreter says it: the program can write here whatever it likes.
#
# On descriptor 4 the interpreter keeps a table of 32-bit numbers: how many lines there are, how often each ran, and
# how often each raised. On descriptor 5 it writes text: its stack when it is asked by a signal that does nothing
# elsewhere, or a trace in which each command follows "+seconds line ". Both are files in memory that cannot grow.
my ( $most_lines, $most_stack ) = ( 5000, 65536 );
my ( %time, %hits, $last_line, $trace_line, $trace_time );
my ( $stack, $sent, $parsed, $began, $sampled, $told, $pause, $ticks, $asked, $threaded )
  = ( '', '', 0, 0, 0, 0, 0.1, 0, 0, 0 );

# Seconds of the monotonic clock.
sub clock {
    syscall( $clock_gettime, 1, my $now = "\0" x 16 ) and leave(1);
    my ( $seconds, $nanoseconds ) = unpack 'qq', $now;
    return $seconds + $nanoseconds / 1e9;
}

# Reads without moving the position that the interpreter writes at.
sub bytes_at {
    my ( $file, $size, $from ) = @_;
    my $bytes = "\0" x $size;
    my $got = syscall( $pread, fileno $file, $bytes, $size, $from );
    return $got > 0 ? substr $bytes, 0, $got : '';
}

# Returns the processor time that the program has used, and how many threads it has.
sub program_facts {
    open my $file, '<', "/proc/$child/stat" or return ( 0, 1 );
    my @facts = split ' ', ( <$file> // '' ) =~ s/.*\)//sr;
    return ( ( $facts[11] // 0 ) + ( $facts[12] // 0 ), $facts[17] // 1 );
}

# Takes the stack that was asked for, and asks for the next. A program that waits is asked once, and then left alone. One that
# writes is not asked: a signal cuts short a write that is under way, and the program may lose what was left of it. Nor is one
# that ever had a second thread: Python reads the stacks of all threads meanwhile, and ends by a fault where one comes or goes.
sub sample {
    my ($now) = @_;
    my $size = sysseek $notes, 0, 1;
    if ( $size > 0 && !$threaded ) {
        $stack = bytes_at( $notes, $size < $most_stack ? $size : $most_stack, 0 );
        my ($own) = $stack =~ /^Current thread(.*)/ms;
        ($last_line) = ( $own // $stack ) =~ /^  File "main\.py", line (\d{1,6}) in /m;
    }
    $time{$last_line} += $now - $sampled if $last_line && $sampled && $last_line <= $most_lines;
    $pause = 0.1;
    for my $least ( $size / 10000, ( $now - $began ) / 50 ) { $pause = $least if $least > $pause }
    $pause = 1 if $pause > 1;
    my $writes = $relayed || grep { length $_->[2] } @flows;
    $relayed = 0;
    return if $writes;
    my ( $used, $threads ) = program_facts();
    $threaded ||= $threads > 1;
    $last_line = 0 if $threaded;
    return if $threaded || $asked && $used == $ticks;
    sysseek $notes, 0, 0;
    kill 'URG', $child;
    ( $asked, $ticks ) = ( $used == $ticks, $used );
}

# Counts the commands of a trace since it was last read.
sub follow_trace {
    my $bytes = bytes_at( $notes, 1048576 - $parsed, $parsed );
    my $end = 1 + rindex $bytes, "\n";
    $parsed += $end;
    $bytes = substr $bytes, 0, $end;
    while ( $bytes =~ /^\++(\d{1,12}\.\d{6}) (\d{1,6}) /mg ) {
        $time{$trace_line} += $1 - $trace_time if $trace_line && $1 > $trace_time;
        ( $trace_time, $trace_line ) = ( $1, $2 );
        $hits{$2}++ if $2 && $2 <= $most_lines;
        $trace_line = 0 if $2 > $most_lines;
    }
}

# Returns a line of text for each line of the code that ran: its number, how often it ran and raised, milliseconds.
sub line_rows {
    my $count = unpack 'V', bytes_at( $marks, 4, 0 ) . "\0" x 4;
    $count = 0 if $count > $most_lines;
    my @table = unpack 'V*', bytes_at( $marks, 8 * $count, 4 );
    my %raised = map { $_ => $table[ $count + $_ - 1 ] } grep { $table[ $count + $_ - 1 ] } 1 .. $count;
    my %ran = ( %hits, map { $_ => $table[ $_ - 1 ] } grep { $table[ $_ - 1 ] } 1 .. $count );
    my %all = ( %ran, %raised, %time );
    return join '', map { sprintf "%d %d %d %.0f\n", $_, $ran{$_} // 0, $raised{$_} // 0, 1000 * ( $time{$_} // 0 ) }
      sort { $a <=> $b } keys %all;
}

# Says once a second what has changed, while the program goes on.
sub follow_lines {
    my ($nonce) = @_;
    my $now = clock();
    $patience = $samples ? $pause : 1;
    return if $now - $sampled < $patience - 0.01;
    sample($now) if $samples;
    $sampled = $now;
    return if $now - $told < 1;
    $told = $now;
    follow_trace() if $traces;
    my $rows = line_rows();
    my $said = "lines\n$rows" . ( $stack ? "stack\n$stack" : '' );
    insert( $nonce, $said ) if length $rows < 65536 && $said ne $sent;
    $sent = $said;
}

# From now on the program runs.
sub begin_lines {
    $sampled = $told = $began = clock();
    $patience = $samples ? $pause : 1;
}

sub send_lines {
    return if !$marks;
    follow_trace() if $traces;
    my $rows = line_rows();
    say_bytes( \*STDOUT, sprintf( "lines %d\n", length $rows ) . $rows );
}
